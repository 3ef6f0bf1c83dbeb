#include "core/volume/slice.h"

#include <fmt/format.h>

namespace highwater::volume {
namespace {

constexpr std::size_t kX = 0, kY = 1, kZ = 2;

char letter(std::size_t world, bool positive) {
    return (positive ? "RAS" : "LPI")[world];
}

/// Whether index 0 of a voxel axis must come last, so that the picture runs towards the positive or negative
/// end of a patient axis.
bool mustFlip(const Geometry& geometry, int axis, std::size_t world, bool towardsPositive) {
    return (geometry.direction[static_cast<std::size_t>(axis)][world] >= 0) != towardsPositive;
}

template <class Pixel>
void eachPixel(const SliceLayout& layout, std::int64_t index, const Pixel& pixel) {
    for (std::int64_t row = 0; row < layout.height; ++row) {
        for (std::int64_t column = 0; column < layout.width; ++column) {
            pixel(static_cast<std::size_t>(row * layout.width + column), layout.voxel(column, row, index));
        }
    }
}

}  // namespace

std::string_view planeName(Plane plane) {
    return plane == Plane::Axial ? "axial" : plane == Plane::Coronal ? "coronal" : "sagittal";
}

base::Result<Plane> parsePlane(std::string_view name) {
    for (Plane plane : {Plane::Axial, Plane::Coronal, Plane::Sagittal}) {
        if (planeName(plane) == name) {
            return plane;
        }
    }
    return base::Error{fmt::format("there is no plane \"{}\"; there are axial, coronal and sagittal", name)};
}

SliceLayout sliceLayout(const Geometry& geometry, Plane plane) {
    const auto axes = nearestAxes(geometry);
    const std::size_t acrossWorld = plane == Plane::Sagittal ? kY : kX;
    const std::size_t downWorld = plane == Plane::Axial ? kY : kZ;
    const std::size_t normalWorld = kX + kY + kZ - acrossWorld - downWorld;
    SliceLayout layout;
    layout.plane = plane;
    layout.columnAxis = axes[acrossWorld];
    layout.rowAxis = axes[downWorld];
    layout.normalAxis = axes[normalWorld];
    // Every picture runs from R or A on the left, and from A or S on top: towards the negative end.
    layout.flipColumns = mustFlip(geometry, layout.columnAxis, acrossWorld, false);
    layout.flipRows = mustFlip(geometry, layout.rowAxis, downWorld, false);
    layout.left = letter(acrossWorld, true);
    layout.right = letter(acrossWorld, false);
    layout.top = letter(downWorld, true);
    layout.bottom = letter(downWorld, false);
    const auto column = static_cast<std::size_t>(layout.columnAxis);
    const auto row = static_cast<std::size_t>(layout.rowAxis);
    const auto normal = static_cast<std::size_t>(layout.normalAxis);
    layout.width = geometry.size[column];
    layout.height = geometry.size[row];
    layout.depth = geometry.size[normal];
    layout.columnSpacing = geometry.spacing[column];
    layout.rowSpacing = geometry.spacing[row];
    layout.normalSpacing = geometry.spacing[normal];
    return layout;
}

std::array<std::int64_t, 3> SliceLayout::voxel(std::int64_t column, std::int64_t row,
                                               std::int64_t index) const {
    std::array<std::int64_t, 3> ijk{};
    ijk[static_cast<std::size_t>(columnAxis)] = flipColumns ? width - 1 - column : column;
    ijk[static_cast<std::size_t>(rowAxis)] = flipRows ? height - 1 - row : row;
    ijk[static_cast<std::size_t>(normalAxis)] = index;
    return ijk;
}

std::array<double, 3> SliceLayout::pixel(const std::array<double, 3>& ijk) const {
    const double column = ijk[static_cast<std::size_t>(columnAxis)];
    const double row = ijk[static_cast<std::size_t>(rowAxis)];
    return {flipColumns ? static_cast<double>(width - 1) - column : column,
            flipRows ? static_cast<double>(height - 1) - row : row,
            ijk[static_cast<std::size_t>(normalAxis)]};
}

std::vector<float> sliceValues(const Volume& volume, const SliceLayout& layout, std::int64_t index) {
    std::vector<float> values(static_cast<std::size_t>(layout.width * layout.height));
    eachPixel(layout, index, [&](std::size_t at, const std::array<std::int64_t, 3>& v) {
        values[at] = static_cast<float>(volume.at(v[0], v[1], v[2]));
    });
    return values;
}

std::vector<std::uint8_t> sliceGray(const Volume& volume, const SliceLayout& layout, std::int64_t index,
                                    const Window& window) {
    std::vector<std::uint8_t> gray(static_cast<std::size_t>(layout.width * layout.height));
    eachPixel(layout, index, [&](std::size_t at, const std::array<std::int64_t, 3>& v) {
        gray[at] = toGray(volume.at(v[0], v[1], v[2]), window);
    });
    return gray;
}

}  // namespace highwater::volume
