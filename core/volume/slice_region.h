#pragma once

#include <cstdint>
#include <vector>

#include "core/volume/slice.h"

namespace highwater::volume {

/// A part of a slice, in pixels from the top left, downsampled by means over blocks of pixels.
struct SliceRegion {
    std::int64_t column = 0, row = 0;  ///< its first pixel
    std::int64_t width = 0, height = 0;
    std::int64_t blockColumns = 1, blockRows = 1;  ///< >= 1; the last block of a row or column may be thinner
    std::int64_t columns() const { return (width + blockColumns - 1) / blockColumns; }
    std::int64_t rows() const { return (height + blockRows - 1) / blockRows; }
    bool operator==(const SliceRegion&) const = default;
};

/// Returns real values, columns() per row: the mean of a block's values that are not NaN; NaN if all are.
/// Reads only the region's voxels. The region must be inside the slice; `index` is 0 to depth-1.
std::vector<float> regionValues(const Volume& volume, const SliceLayout& layout, std::int64_t index,
                                const SliceRegion& region);

}  // namespace highwater::volume
