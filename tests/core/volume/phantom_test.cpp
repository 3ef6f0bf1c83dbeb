#include "core/volume/phantom.h"

#include <gmock/gmock.h>

#include <random>

#include "core/volume/phantom_shapes.h"

namespace highwater::volume {
namespace {

PhantomOptions coarse(std::uint64_t seed) {
    PhantomOptions options;
    options.seed = seed;
    options.size = {64, 64, 54};
    return options;
}

TEST(Phantom, TheSameSeedTheSameVoxels) {
    const auto a = makePhantom(coarse(3));
    const auto b = makePhantom(coarse(3));
    const auto c = makePhantom(coarse(4));
    ASSERT_TRUE(a.ok() && b.ok() && c.ok());
    EXPECT_EQ(a->voxels, b->voxels);
    EXPECT_NE(a->voxels, c->voxels);
}

TEST(Phantom, HasAirTissueAndBoneInAHeadsShares) {
    const auto phantom = makePhantom(coarse(1));
    ASSERT_TRUE(phantom.ok());
    double air = 0, tissue = 0, bone = 0;
    for (std::int16_t hounsfield : phantom->voxels) {
        air += hounsfield < -500;
        tissue += hounsfield > -200 && hounsfield < 200;
        bone += hounsfield > 400;
    }
    const auto all = static_cast<double>(phantom->voxels.size());
    EXPECT_NEAR(air / all, 0.60, 0.15);
    EXPECT_NEAR(tissue / all, 0.32, 0.12);
    EXPECT_NEAR(bone / all, 0.06, 0.04);
}

TEST(Phantom, CanBeCancelled) {
    std::atomic<bool> cancel{false};
    PhantomOptions options = coarse(1);
    options.cancel = &cancel;
    options.progress = [&](double) { cancel = true; };
    EXPECT_EQ(makePhantom(options).error().message, "cancelled");
}

/// Far points are not computed, which must not be visible.
TEST(Phantom, ADistanceWithinABoundIsTheDistanceOrTheBound) {
    using namespace shapes;
    std::mt19937 random(1);
    std::uniform_real_distribution<double> place(-60, 60), radius(2, 60), limit(-20, 70);
    const auto point = [&](auto& draw) { return Point{draw(random), draw(random), draw(random)}; };
    int bounds = 0;
    for (int i = 0; i < 20'000; ++i) {
        const Ellipsoid shape{point(place), point(radius)};
        const Point p = i % 100 == 0 ? shape.center : point(place);
        const double bound = limit(random), right = std::min(bound, distance(shape, p));
        ASSERT_EQ(distanceWithin(shape, p, bound), right) << i;
        bounds += right == bound ? 1 : 0;
    }
    EXPECT_GT(bounds, 2000);
    EXPECT_LT(bounds, 18'000);
}

}  // namespace
}  // namespace highwater::volume
