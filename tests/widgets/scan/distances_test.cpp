#include "widgets/scan/distances.h"

#include <gtest/gtest.h>

#include "tests/widgets/scan/volumes.h"

namespace highwater::widgets {
namespace {

using highwater::testing::makeVolume;
using volume::Plane;

volume::Header headerOf(std::array<double, 3> spacing) {
    return makeVolume({20, 20, 20}, [](auto, auto, auto) { return 0.0F; }, "LPS", spacing).header();
}

TEST(Distances, AreToldInMillimetersOrInVoxels) {
    const Distance d{Plane::Axial, 3, {1, 1, 3}, {7, 3, 3}};
    EXPECT_EQ(distanceText(d, headerOf({0.5, 2, 1})), "5.00 mm");
    EXPECT_EQ(distanceText(d, headerOf({5, 20, 1})), "50.0 mm");
    volume::Header unknown = headerOf({1, 1, 1});
    unknown.spacingKnown = false;
    EXPECT_EQ(distanceText(d, unknown), "6.3 voxels");
}

TEST(Distances, BeginFollowAndEnd) {
    Distances all;
    all.begin(Plane::Axial, 3, {1, 1, 3});
    EXPECT_TRUE(all.open());
    all.moveEnd(true, {5, 1, 3});
    all.close();
    EXPECT_FALSE(all.open());
    ASSERT_EQ(all.all().size(), 1U);
    EXPECT_EQ(all.all()[0], (Distance{Plane::Axial, 3, {1, 1, 3}, {5, 1, 3}}));
    all.begin(Plane::Axial, 3, {2, 2, 3});
    all.close();
    EXPECT_EQ(all.all().size(), 1U) << "one without length is none";
    EXPECT_FALSE(all.chosen());
    all.begin(Plane::Coronal, 9, {2, 9, 3});
    all.moveEnd(true, {2, 9, 8});
    all.drop();
    EXPECT_EQ(all.all().size(), 1U);
    all.begin(Plane::Coronal, 9, {2, 9, 3});
    all.begin(Plane::Coronal, 9, {2, 9, 4});
    EXPECT_EQ(all.all().size(), 2U) << "the open one before is dropped";
    all.moveEnd(true, {0, 9, 4});
    all.close();
    all.choose(0, false);
    all.moveEnd(false, {0, 0, 3});
    EXPECT_EQ(all.all()[0].from, (std::array<double, 3>{0, 0, 3}));
}

TEST(Distances, AreRemovedOnTheSliceThatIsSeen) {
    Distances all;
    const auto add = [&](Plane plane, std::int64_t index, double at) {
        all.begin(plane, index, {at, at, at});
        all.moveEnd(true, {at + 1, at, at});
        all.close();
    };
    add(Plane::Axial, 3, 1);
    add(Plane::Axial, 3, 2);
    add(Plane::Axial, 5, 3);
    EXPECT_FALSE(all.removeOn(Plane::Coronal, 3));
    EXPECT_TRUE(all.removeOn(Plane::Axial, 3)) << "the chosen one lies elsewhere: the last one here";
    ASSERT_EQ(all.all().size(), 2U);
    EXPECT_EQ(all.all()[0].from[0], 1);
    EXPECT_EQ(all.chosen(), 1U) << "still the one on slice 5";
    all.choose(0, false);
    EXPECT_TRUE(all.removeOn(Plane::Axial, 3));
    EXPECT_FALSE(all.removeOn(Plane::Axial, 3));
    EXPECT_TRUE(all.removeOn(Plane::Axial, 5));
    for (int n = 0; n < 150; ++n) {
        add(Plane::Axial, 1, n);
    }
    EXPECT_EQ(all.all().size(), Distances::kMost);
    EXPECT_EQ(all.all().back().from[0], 149);
}

}  // namespace
}  // namespace highwater::widgets
