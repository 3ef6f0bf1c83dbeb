#include "widgets/scan/crop_box.h"

#include <gtest/gtest.h>

#include "tests/widgets/scan/volumes.h"

namespace highwater::widgets {
namespace {

constexpr Index3 kSize{10, 20, 30};

volume::SliceLayout layoutOf(const std::string& letters, volume::Plane plane) {
    return volume::sliceLayout(highwater::testing::makeVolume(
                                   kSize, [](auto, auto, auto) { return 0.0F; }, letters)
                                   .geometry(),
                               plane);
}

TEST(CropBox, GripsTheNearestEdge) {
    const QRectF outline(100, 100, 50, 40);
    EXPECT_EQ(gripAt(outline, {101, 120}, 6), (Grip{-1, 0}));
    EXPECT_EQ(gripAt(outline, {154, 120}, 6), (Grip{1, 0}));
    EXPECT_EQ(gripAt(outline, {148, 143}, 6), (Grip{1, 1})) << "a corner";
    EXPECT_EQ(gripAt(outline, {120, 97}, 6), (Grip{0, -1}));
    EXPECT_FALSE(gripAt(outline, {120, 120}, 6)) << "inside";
    EXPECT_FALSE(gripAt(outline, {80, 120}, 6));
    EXPECT_EQ(gripAt({100, 100, 4, 40}, {103, 120}, 6), (Grip{1, 0})) << "the nearer of two";
}

TEST(CropBox, EdgesFollowTheScreen) {
    const PatchBox box{{2, 5, 7}, {4, 6, 8}};
    // RAS, axial: the left edge is the end of i, the top the end of j.
    const auto axial = layoutOf("RAS", volume::Plane::Axial);
    EXPECT_EQ(withEdgesMoved(box, axial, {-1, 0}, -2, 0, kSize), (PatchBox{{2, 5, 7}, {6, 6, 8}}));
    EXPECT_EQ(withEdgesMoved(box, axial, {1, 1}, -1, 2, kSize), (PatchBox{{3, 3, 7}, {3, 8, 8}}));
    const auto mirrored = layoutOf("LPS", volume::Plane::Axial);
    EXPECT_EQ(withEdgesMoved(box, mirrored, {-1, -1}, 1, 1, kSize), (PatchBox{{3, 6, 7}, {3, 5, 8}}));
    EXPECT_EQ(withEdgesMoved(box, mirrored, {1, 0}, 1, 9, kSize), (PatchBox{{2, 5, 7}, {5, 6, 8}}))
        << "an edge that is not held stays";
}

TEST(CropBox, EdgesStopAtTheVolumeAndAtOneVoxel) {
    const PatchBox box{{2, 5, 7}, {4, 6, 8}};
    const auto layout = layoutOf("LPS", volume::Plane::Axial);
    EXPECT_EQ(withEdgesMoved(box, layout, {-1, 0}, -100, 0, kSize), (PatchBox{{0, 5, 7}, {6, 6, 8}}));
    EXPECT_EQ(withEdgesMoved(box, layout, {-1, 0}, 100, 0, kSize), (PatchBox{{5, 5, 7}, {1, 6, 8}}));
    EXPECT_EQ(withEdgesMoved(box, layout, {1, 0}, 100, 0, kSize), (PatchBox{{2, 5, 7}, {8, 6, 8}}));
    EXPECT_EQ(withEdgesMoved(box, layout, {1, 0}, -100, 0, kSize), (PatchBox{{2, 5, 7}, {1, 6, 8}}));
}

}  // namespace
}  // namespace highwater::widgets
