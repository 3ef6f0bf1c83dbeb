#pragma once

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/volume/slice.h"
#include "core/volume/volume.h"
#include "tests/core/scan/reader/nifti/builder.h"

/// One block of tissue, whose value is a function of the position, stored along any axes and in any type.
namespace highwater::test {

inline constexpr std::array<int, 3> kTissueSize{5, 6, 7};            ///< along x, y, z
inline constexpr std::array<double, 3> kTissueSpacing{1.5, 2, 2.5};  ///< mm
inline constexpr std::array<double, 3> kTissueOrigin{-3, 10, 4.5};   ///< mm, RAS+, the minimum of each
inline constexpr std::string_view kTypeNames[] = {"uint8", "int8",   "uint16", "int16",   "uint32",
                                                  "int32", "uint64", "int64",  "float32", "float64"};

/// No mirror image or rotation of it is the same. 0 to 119, so that every type can represent it.
inline int tissue(int x, int y, int z) {
    return (7 * x + 13 * y + 31 * z + 3 * x * y + y * z * z) % 120;
}

struct Block {
    std::array<int, 3> axes{};   ///< the patient's axis of each voxel axis
    std::array<int, 3> signs{};  ///< whether it runs along that axis (1) or against it (-1)
    std::string letters;         ///< "RAS", ...

    int size(std::size_t axis) const { return kTissueSize[world(axis)]; }
    double spacing(std::size_t axis) const { return kTissueSpacing[world(axis)]; }
    std::size_t world(std::size_t axis) const { return static_cast<std::size_t>(axes[axis]); }
    /// RAS+ component of one step along a voxel axis, in voxels.
    int step(std::size_t axis, std::size_t component) const {
        return world(axis) == component ? signs[axis] : 0;
    }
    /// RAS+ mm of voxel (0, 0, 0).
    std::array<double, 3> origin() const {
        std::array<double, 3> out = kTissueOrigin;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            out[world(axis)] += signs[axis] < 0 ? (size(axis) - 1) * spacing(axis) : 0;
        }
        return out;
    }
    std::vector<int> values() const {
        std::vector<int> out;
        std::array<int, 3> at{};
        for (at[2] = 0; at[2] < size(2); ++at[2]) {
            for (at[1] = 0; at[1] < size(1); ++at[1]) {
                for (at[0] = 0; at[0] < size(0); ++at[0]) {
                    std::array<int, 3> xyz{};
                    for (std::size_t axis = 0; axis < 3; ++axis) {
                        xyz[world(axis)] = signs[axis] > 0 ? at[axis] : size(axis) - 1 - at[axis];
                    }
                    out.push_back(tissue(xyz[0], xyz[1], xyz[2]));
                }
            }
        }
        return out;
    }
};

/// All 48 permutations and flips.
inline std::vector<Block> allBlocks() {
    std::vector<Block> out;
    std::array<int, 3> axes{0, 1, 2};
    do {
        for (int flips = 0; flips < 8; ++flips) {
            Block block{axes, {flips & 1 ? -1 : 1, flips & 2 ? -1 : 1, flips & 4 ? -1 : 1}, "???"};
            for (std::size_t axis = 0; axis < 3; ++axis) {
                block.letters[axis] = (block.signs[axis] > 0 ? "RAS" : "LPI")[block.world(axis)];
            }
            out.push_back(block);
        }
    } while (std::next_permutation(axes.begin(), axes.end()));
    return out;
}

template <class T>
std::string storedAs(const std::vector<int>& values, bool swapped) {
    std::string bytes(values.size() * sizeof(T), '\0');
    for (std::size_t i = 0; i < values.size(); ++i) {
        put(bytes, i * sizeof(T), static_cast<T>(values[i]), swapped);
    }
    return bytes;
}

inline std::string stored(const std::vector<int>& values, std::string_view type, bool swapped) {
    return type == "uint8"     ? storedAs<std::uint8_t>(values, swapped)
           : type == "int8"    ? storedAs<std::int8_t>(values, swapped)
           : type == "uint16"  ? storedAs<std::uint16_t>(values, swapped)
           : type == "int16"   ? storedAs<std::int16_t>(values, swapped)
           : type == "uint32"  ? storedAs<std::uint32_t>(values, swapped)
           : type == "int32"   ? storedAs<std::int32_t>(values, swapped)
           : type == "uint64"  ? storedAs<std::uint64_t>(values, swapped)
           : type == "int64"   ? storedAs<std::int64_t>(values, swapped)
           : type == "float32" ? storedAs<float>(values, swapped)
                               : storedAs<double>(values, swapped);
}

/// The value that the slice shows in its top left corner, and the letters at its edges.
inline void expectCorner(const volume::Volume& volume, volume::Plane plane, std::string_view letters) {
    const auto layout = volume::sliceLayout(volume.geometry(), plane);
    EXPECT_EQ((std::string{layout.left, layout.right, layout.top, layout.bottom}), letters);
    const auto first = layout.voxel(0, 0, 0);
    const auto mm = volume.geometry().toMillimeters(
        {static_cast<double>(first[0]), static_cast<double>(first[1]), static_cast<double>(first[2])});
    const auto normal = static_cast<std::size_t>(plane == volume::Plane::Axial     ? 2
                                                 : plane == volume::Plane::Coronal ? 1
                                                                                   : 0);
    const bool low = std::abs(mm[normal] - kTissueOrigin[normal]) < 1e-3;  // the end at which slice 0 is
    const int at = low ? 0 : kTissueSize[normal] - 1;
    const int expected = plane == volume::Plane::Axial     ? tissue(4, 5, at)
                         : plane == volume::Plane::Coronal ? tissue(4, at, 6)
                                                           : tissue(at, 5, 6);
    EXPECT_EQ(volume::sliceValues(volume, layout, 0).front(), static_cast<float>(expected));
}

/// The same value at the same millimeter, and the right letters on screen.
inline void expectTissueInPlace(const volume::Volume& volume, const Block& block) {
    const auto& geometry = volume.geometry();
    EXPECT_EQ(geometry.orientation(), block.letters);
    for (int z = 0; z < kTissueSize[2]; ++z) {
        for (int y = 0; y < kTissueSize[1]; ++y) {
            for (int x = 0; x < kTissueSize[0]; ++x) {
                const auto ijk = geometry.toIndex({kTissueOrigin[0] + x * kTissueSpacing[0],
                                                   kTissueOrigin[1] + y * kTissueSpacing[1],
                                                   kTissueOrigin[2] + z * kTissueSpacing[2]});
                std::array<std::int64_t, 3> at{};
                for (std::size_t axis = 0; axis < 3; ++axis) {
                    at[axis] = std::lround(ijk[axis]);
                    ASSERT_NEAR(ijk[axis], static_cast<double>(at[axis]), 1e-4);
                    ASSERT_GE(at[axis], 0);
                    ASSERT_LT(at[axis], geometry.size[axis]);
                }
                ASSERT_EQ(volume.at(at[0], at[1], at[2]), tissue(x, y, z)) << x << " " << y << " " << z;
            }
        }
    }
    expectCorner(volume, volume::Plane::Axial, "RLAP");
    expectCorner(volume, volume::Plane::Coronal, "RLSI");
    expectCorner(volume, volume::Plane::Sagittal, "APSI");
}

/// The same, without warnings.
inline void expectTissue(const volume::Volume& volume, const Block& block) {
    EXPECT_THAT(volume.header().warnings, testing::IsEmpty());
    expectTissueInPlace(volume, block);
}

}  // namespace highwater::test
