#include "core/layers/flatten.h"

#include <algorithm>

namespace highwater::stack {

using base::Result;

Result<LayerRule> About<Flatten>::rule(const Flatten&, const Shape& input, bool) {
    std::int64_t features = 1;
    for (auto size = input.begin() + 1; size != input.end(); ++size) {
        features = std::min(features * *size, kMostSize + 1);  // a larger value is refused as an output
    }
    return LayerRule{{input[0], features}, 0};
}

}  // namespace highwater::stack
