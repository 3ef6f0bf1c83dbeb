#pragma once

#include <cstdint>
#include <vector>

#include "core/volume/slice.h"

namespace highwater::volume {

/// A part of a slice, in its pixels from the top left, made smaller by means over blocks of pixels.
struct SliceRegion {
    std::int64_t column = 0, row = 0;  ///< the first pixel
    std::int64_t width = 0, height = 0;
    std::int64_t blockColumns = 1, blockRows = 1;  ///< >= 1; the last block of a row or column may be thinner
    std::int64_t columns() const { return (width + blockColumns - 1) / blockColumns; }
    std::int64_t rows() const { return (height + blockRows - 1) / blockRows; }
    bool operator==(const SliceRegion&) const = default;
};

/// Real values, columns() a row: the mean of a block's values that are not NaN; NaN where all are. Reads the
/// region's voxels and no others. The region lies in the slice, `index` in 0 to depth-1.
std::vector<float> regionValues(const Volume& volume, const SliceLayout& layout, std::int64_t index,
                                const SliceRegion& region);

}  // namespace highwater::volume
