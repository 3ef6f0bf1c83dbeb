#include "core/volume/slice_region.h"

#include <gmock/gmock.h>

#include <cmath>

#include "tests/core/volume/make_volume.h"

namespace highwater::volume {
namespace {

Volume numbered() {
    return highwater::test::makeVolume<std::int16_t>({7, 6, 5}, VoxelType::I16, [](auto i, auto j, auto k) {
        return static_cast<std::int16_t>(i + 10 * j + 100 * k);
    });
}

TEST(SliceRegion, IsTheSlicesOwnValues) {
    const Volume volume = numbered();
    for (const Plane plane : {Plane::Axial, Plane::Coronal, Plane::Sagittal}) {
        const SliceLayout layout = sliceLayout(volume.geometry(), plane);
        const auto whole = sliceValues(volume, layout, 3);
        EXPECT_EQ(regionValues(volume, layout, 3, {0, 0, layout.width, layout.height}), whole);
        const SliceRegion part{2, 1, 3, 4};
        const auto values = regionValues(volume, layout, 3, part);
        ASSERT_EQ(values.size(), 12U);
        for (std::int64_t row = 0; row < 4; ++row) {
            for (std::int64_t column = 0; column < 3; ++column) {
                EXPECT_EQ(values[static_cast<std::size_t>(row * 3 + column)],
                          whole[static_cast<std::size_t>((row + 1) * layout.width + column + 2)])
                    << planeName(plane);
            }
        }
    }
}

TEST(SliceRegion, MeansOverBlocks) {
    const Volume volume = numbered();
    for (const Plane plane : {Plane::Axial, Plane::Coronal, Plane::Sagittal}) {
        const SliceLayout layout = sliceLayout(volume.geometry(), plane);
        const auto whole = sliceValues(volume, layout, 2);
        const SliceRegion region{1, 0, layout.width - 1, layout.height, 2, 3};
        const auto values = regionValues(volume, layout, 2, region);
        ASSERT_EQ(values.size(), static_cast<std::size_t>(region.columns() * region.rows()));
        for (std::int64_t r = 0; r < region.rows(); ++r) {
            for (std::int64_t c = 0; c < region.columns(); ++c) {
                double sum = 0;
                int count = 0;
                for (std::int64_t y = r * 3; y < std::min(r * 3 + 3, layout.height); ++y) {
                    for (std::int64_t x = 1 + c * 2; x < std::min(1 + c * 2 + 2, layout.width);
                         ++x, ++count) {
                        sum += whole[static_cast<std::size_t>(y * layout.width + x)];
                    }
                }
                EXPECT_NEAR(values[static_cast<std::size_t>(r * region.columns() + c)], sum / count, 1e-4);
            }
        }
    }
}

TEST(SliceRegion, NanDoesNotCount) {
    const Volume volume =
        highwater::test::makeVolume<float>({4, 4, 1}, VoxelType::F32, [](auto i, auto j, auto) {
            return i < 2 && j < 2 ? NAN : i == 3 ? NAN : 5.0F;
        });
    const SliceLayout layout = sliceLayout(volume.geometry(), Plane::Axial);
    const auto values = regionValues(volume, layout, 0, {0, 0, 4, 4, 2, 2});
    EXPECT_EQ(std::ranges::count_if(values, [](float v) { return std::isnan(v); }), 1);
    EXPECT_EQ(std::ranges::count(values, 5.0F), 3);
}

}  // namespace
}  // namespace highwater::volume
