#include "core/predict/target/ranks.h"

#include <algorithm>
#include <utility>

namespace highwater::predict {

std::vector<std::vector<std::size_t>> bucketsOf(const std::vector<base::Bytes>& sizes,
                                                const std::vector<base::Bytes>& limits) {
    std::vector<std::vector<std::size_t>> buckets;
    std::vector<std::size_t> open;
    base::Bytes bytes = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        open.push_back(i);
        bytes += sizes[i];
        if (bytes >= limits[std::min(buckets.size(), limits.size() - 1)]) {
            buckets.push_back(std::exchange(open, {}));
            bytes = 0;
        }
    }
    if (!open.empty()) {
        buckets.push_back(std::move(open));
    }
    return buckets;
}

Estimate ncclBuffers(int ranks) {
    if (ranks < 2) {
        return {};
    }
    return {64 * base::kMiB, (ranks == 2 ? 544 : 688) * base::kMiB, 1638 * base::kMiB};
}

}  // namespace highwater::predict
