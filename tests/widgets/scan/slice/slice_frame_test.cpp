#include "widgets/scan/slice/slice_frame.h"

#include <gtest/gtest.h>

#include "tests/widgets/scan/volumes.h"

namespace highwater::widgets {
namespace {

using highwater::testing::makeVolume;
using volume::Plane;

SliceFrame frameOf(const std::string& letters, Plane plane, std::array<double, 3> spacing = {1, 1, 1},
                   std::array<std::int64_t, 3> size = {10, 20, 30}) {
    const auto v = makeVolume(size, [](auto, auto, auto) { return 0.0F; }, letters, spacing);
    return {.layout = volume::sliceLayout(v.geometry(), plane), .view = QRectF(0, 0, 300, 300)};
}

/// The voxel at the left end of a slice must be farther toward `left` than the one at the right end, and
/// likewise downward: checked in millimeters, independently of the layout's own terms.
TEST(SliceFrame, EdgesLieWhereTheLettersSay) {
    const std::string axes = "RLAPSI";
    for (const std::string letters : {"RAS", "LPS", "LAS", "PIR", "ASL", "SRP", "IAR"}) {
        const auto v = makeVolume({10, 20, 30}, [](auto, auto, auto) { return 0.0F; }, letters);
        ASSERT_EQ(v.geometry().orientation(), letters);
        for (const Plane plane : {Plane::Axial, Plane::Coronal, Plane::Sagittal}) {
            SliceFrame f{.layout = volume::sliceLayout(v.geometry(), plane), .view = QRectF(0, 0, 300, 200)};
            const auto towards = [&](const QPointF& from, const QPointF& to) {
                const auto a = f.nearestVoxel(from, 0), b = f.nearestVoxel(to, 0);
                const auto mm = [&](const Index3& n) {
                    return v.geometry().toMillimeters(
                        {static_cast<double>(n[0]), static_cast<double>(n[1]), static_cast<double>(n[2])});
                };
                for (std::size_t axis = 0; axis < 3; ++axis) {
                    if (mm(b)[axis] != mm(a)[axis]) {
                        return mm(b)[axis] > mm(a)[axis] ? axes[axis * 2] : axes[axis * 2 + 1];
                    }
                }
                return '?';
            };
            const QRectF t = f.target();
            const QPointF c = t.center();
            EXPECT_EQ(towards(c, {t.left(), c.y()}), f.layout.left) << letters;
            EXPECT_EQ(towards(c, {t.right(), c.y()}), f.layout.right) << letters;
            EXPECT_EQ(towards(c, {c.x(), t.top()}), f.layout.top) << letters;
            EXPECT_EQ(towards(c, {c.x(), t.bottom()}), f.layout.bottom) << letters;
            if (plane != Plane::Sagittal) {
                EXPECT_EQ(f.layout.left, 'R') << "radiological: the patient's right is on the left";
            }
        }
    }
}

TEST(SliceFrame, KeepsThePhysicalAspect) {
    const QRectF t = frameOf("RAS", Plane::Coronal, {2, 1, 5}).target();  // 20 mm wide, 150 mm high
    EXPECT_NEAR(t.height(), 300, 1e-9);
    EXPECT_NEAR(t.width(), 40, 1e-9);
    EXPECT_EQ(t.center(), QPointF(150, 150));
}

TEST(SliceFrame, PixelAndScreenAreInverse) {
    SliceFrame f = frameOf("LPS", Plane::Sagittal, {1, 0.5, 2});
    f.zoomAt({40, 70}, 3);
    const QPointF p = f.toPixel(f.toScreen({3.25, 7.5}));
    EXPECT_NEAR(p.x(), 3.25, 1e-9);
    EXPECT_NEAR(p.y(), 7.5, 1e-9);
}

TEST(SliceFrame, ZoomKeepsWhatLiesUnderTheMouse) {
    SliceFrame f = frameOf("RAS", Plane::Axial);
    const QPointF before = f.toPixel({100, 60});
    f.zoomAt({100, 60}, 2.5);
    EXPECT_NEAR(f.toPixel({100, 60}).x(), before.x(), 1e-9);
    EXPECT_NEAR(f.toPixel({100, 60}).y(), before.y(), 1e-9);
    f.zoomAt({0, 0}, 1e9);
    EXPECT_EQ(f.zoom, SliceFrame::kMostZoom);
}

TEST(SliceFrame, VoxelUnderAPoint) {
    const SliceFrame f = frameOf("RAS", Plane::Axial);  // 10 x 20, so 150 x 300 on screen, R on the left
    EXPECT_EQ(f.voxelAt({76, 1}, 5), (Index3{9, 19, 5}));
    EXPECT_EQ(f.voxelAt({224, 299}, 5), (Index3{0, 0, 5}));
    EXPECT_EQ(f.voxelAt({74, 1}, 5), std::nullopt);
}

TEST(SliceFrame, BoxOutlineAndCrossing) {
    const SliceFrame f = frameOf("RAS", Plane::Axial);  // 15 screen pixels a voxel
    const PatchBox box{{0, 15, 4}, {2, 5, 6}};          // left of the patient, anterior
    EXPECT_EQ(f.outline(box), QRectF(225 - 30, 0, 30, 75));
    EXPECT_FALSE(f.crosses(box, 3));
    EXPECT_TRUE(f.crosses(box, 4));
    EXPECT_TRUE(f.crosses(box, 9));
    EXPECT_FALSE(f.crosses(box, 10));
}

}  // namespace
}  // namespace highwater::widgets
