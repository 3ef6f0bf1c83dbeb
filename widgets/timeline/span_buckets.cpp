#include "widgets/timeline/span_buckets.h"

#include <algorithm>
#include <cmath>

namespace highwater::widgets {

int SpanBuckets::level(double value) {
    return value < 2 ? 0 : std::min(kLevels - 1, std::ilogb(value));
}

SpanBuckets::SpanBuckets(std::size_t spans, const std::function<base::Bytes(std::size_t)>& bytes,
                         const std::function<double(std::size_t)>& length)
    : order_(spans), starts_(kLevels * kLevels + 1) {
    std::vector<std::uint16_t> keys(spans);
    for (std::size_t i = 0; i < spans; ++i) {
        keys[i] =
            static_cast<std::uint16_t>(level(static_cast<double>(bytes(i))) * kLevels + level(length(i)));
        ++starts_[keys[i] + 1U];
    }
    for (std::size_t k = 1; k < starts_.size(); ++k) {
        starts_[k] += starts_[k - 1];
    }
    std::vector<std::uint32_t> next(starts_.begin(), starts_.end() - 1);
    for (std::size_t i = 0; i < spans; ++i) {
        order_[next[keys[i]]++] = static_cast<std::uint32_t>(i);
    }
}

std::span<const std::uint32_t> SpanBuckets::at(int bytesLevel, int lengthLevel) const {
    if (starts_.empty()) {
        return {};
    }
    const auto key = static_cast<std::size_t>(bytesLevel * kLevels + lengthLevel);
    return std::span(order_).subspan(starts_[key], starts_[key + 1] - starts_[key]);
}

}  // namespace highwater::widgets
