#include "widgets/scan/volume3d/label_surfaces.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/widgets/scan/volumes.h"

namespace highwater::widgets {
namespace {

using highwater::testing::makeVolume;

/// A ball with a radius of 10 mm around the volume's center.
volume::Volume ballOf(float value, const std::string& letters, std::array<double, 3> spacing,
                      std::array<std::int64_t, 3> size) {
    return makeVolume(
        size,
        [=](auto i, auto j, auto k) {
            const double x = (static_cast<double>(i) - static_cast<double>(size[0] - 1) / 2.0) * spacing[0],
                         y = (static_cast<double>(j) - static_cast<double>(size[1] - 1) / 2.0) * spacing[1],
                         z = (static_cast<double>(k) - static_cast<double>(size[2] - 1) / 2.0) * spacing[2];
            return x * x + y * y + z * z < 100 ? value : 0.0F;
        },
        letters, spacing);
}

void expectBall(const LabelSurface& surface, const volume::Geometry& g, double within) {
    const auto center =
        g.toMillimeters({static_cast<double>(g.size[0] - 1) / 2.0, static_cast<double>(g.size[1] - 1) / 2.0,
                         static_cast<double>(g.size[2] - 1) / 2.0});
    ASSERT_GT(surface.points.size(), 300U);
    ASSERT_EQ(surface.points.size(), surface.normals.size());
    ASSERT_EQ(surface.triangles.size() % 3, 0U);
    for (std::size_t n = 0; n < surface.points.size(); n += 3) {
        std::array<double, 3> from{};
        double along = 0;
        for (std::size_t c = 0; c < 3; ++c) {
            from[c] = static_cast<double>(surface.points[n + c]) - center[c];
            along += from[c] * static_cast<double>(surface.normals[n + c]);
        }
        const double radius = std::hypot(from[0], from[1], from[2]);
        EXPECT_NEAR(radius, 10, within);
        EXPECT_GT(std::abs(along) / radius, 0.8) << "normals stand on the surface";
    }
    EXPECT_LT(std::ranges::max(surface.triangles), surface.points.size() / 3);
}

TEST(LabelSurfaces, LieWithinAVoxelOfTheLabelsEdge) {
    const std::atomic<bool> never = false;
    for (const std::string letters : {"RAS", "LPS", "SRA"}) {
        const auto map = ballOf(7, letters, {1, 1, 2}, {40, 36, 24});
        const auto surfaces = makeLabelSurfaces(map, {7}, never);
        ASSERT_TRUE(surfaces);
        ASSERT_EQ(surfaces->size(), 1U);
        EXPECT_EQ(surfaces->front().value, 7);
        expectBall(surfaces->front(), map.geometry(), 2);
    }
}

TEST(LabelSurfaces, OfLongLabelsAreMadeOfBlocks) {
    const std::atomic<bool> never = false;
    const auto map = ballOf(1, "RAS", {0.06, 1, 1}, {400, 30, 30});  // 333 voxels long
    const auto surfaces = makeLabelSurfaces(map, {1}, never);
    ASSERT_EQ(surfaces->size(), 1U);
    expectBall(surfaces->front(), map.geometry(), 3.1);  // blocks of 3 voxels
}

TEST(LabelSurfaces, OfThinLabelsAndAtTheEdgeAreThereToo) {
    const std::atomic<bool> never = false;
    const auto map = makeVolume({12, 12, 12}, [](auto i, auto j, auto k) {
        return i == 0 && j == 0 && k == 0 ? 4.0F : j == 6 && k == 6 ? 5.0F : 0.0F;
    });
    const auto surfaces = makeLabelSurfaces(map, {4, 5, 6}, never);
    ASSERT_EQ(surfaces->size(), 2U) << "there is no label 6";
    EXPECT_FALSE((*surfaces)[0].triangles.empty());
    EXPECT_FALSE((*surfaces)[1].triangles.empty());
}

TEST(LabelSurfaces, CanBeCancelled) {
    const std::atomic<bool> at = true;
    EXPECT_FALSE(makeLabelSurfaces(ballOf(1, "RAS", {1, 1, 1}, {30, 30, 30}), {1}, at));
}

}  // namespace
}  // namespace highwater::widgets
