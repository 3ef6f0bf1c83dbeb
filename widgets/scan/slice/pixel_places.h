#pragma once

#include <algorithm>
#include <array>

#include "core/volume/slice_region.h"

namespace highwater::widgets {

/// Positions of the centers of a region's blocks, in voxels (fractions allowed) of another volume in the same
/// patient space.
class PixelPlaces {
public:
    PixelPlaces(const volume::Geometry& other, const volume::Geometry& scan,
                const volume::SliceLayout& layout, std::int64_t index, const volume::SliceRegion& region)
        : region_(region) {
        const auto place = [&](std::int64_t column, std::int64_t row) {
            const auto v = layout.voxel(column, row, index);
            return other.toIndex(scan.toMillimeters(
                {static_cast<double>(v[0]), static_cast<double>(v[1]), static_cast<double>(v[2])}));
        };
        origin_ = place(0, 0);
        const auto column = place(1, 0), row = place(0, 1);
        for (std::size_t a = 0; a < 3; ++a) {
            column_[a] = column[a] - origin_[a];
            row_[a] = row[a] - origin_[a];
        }
    }
    /// Position of the block with these indices, counted from the region's first block.
    std::array<double, 3> operator()(std::int64_t column, std::int64_t row) const {
        const double x = middle(region_.column, column, region_.blockColumns, region_.width);
        const double y = middle(region_.row, row, region_.blockRows, region_.height);
        std::array<double, 3> out{};
        for (std::size_t a = 0; a < 3; ++a) {
            out[a] = origin_[a] + x * column_[a] + y * row_[a];
        }
        return out;
    }

private:
    static double middle(std::int64_t first, std::int64_t n, std::int64_t block, std::int64_t count) {
        const std::int64_t size = std::min(block, count - n * block);
        return static_cast<double>(first + n * block) + static_cast<double>(size - 1) / 2;
    }
    volume::SliceRegion region_;
    std::array<double, 3> origin_{}, column_{}, row_{};
};

}  // namespace highwater::widgets
