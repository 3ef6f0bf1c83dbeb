#pragma once

#include <cstdint>
#include <vector>

/// Sizes and shapes, and how tensors are padded.
namespace highwater::stack {

using Sizes = std::vector<std::int64_t>;  ///< one number for all axes, or one per axis (depth, height, width)
/// A tensor's shape: N, C, then 1 to 3 spatial sizes (D, H, W); after a flatten N, C alone; after a reshape
/// or a permute 2 to kMostAxes sizes in any order, of which the first is the batch or a multiple of it.
using Shape = std::vector<std::int64_t>;

enum class PaddingMode { Zeros, Reflect, Replicate, Circular };

struct Padding {
    bool same = false;  ///< "same": output as large as input; stride must be 1
    Sizes sizes = {0};
    bool operator==(const Padding&) const = default;
};

}  // namespace highwater::stack
