#include "widgets/scan/volume3d/render_pick.h"

#include <gtest/gtest.h>

#include "tests/widgets/scan/volumes.h"
#include "widgets/scan/volume3d/render_volume.h"

namespace highwater::widgets {
namespace {

using highwater::testing::ball;
using highwater::testing::makeVolume;

std::shared_ptr<const RenderVolume> made(const volume::Volume& v) {
    const std::atomic<bool> go{false};
    return makeRenderVolume(v, renderScale(v, volume::histogram(v)), kFineVoxels, go);
}

// A ball of 40 voxels: its center at 19.5, 19.5, 19.5, its radius 15.1.
constexpr float kCenter = 19.5F, kRadius = 15.1F;

TEST(FirstSurface, IsWhereTheBallBegins) {
    for (const std::string letters : {"RAS", "LPS", "SAR"}) {
        const auto v = ball(40, letters);
        const auto c = v.geometry().toMillimeters({kCenter, kCenter, kCenter});
        const QVector3D center(static_cast<float>(c[0]), static_cast<float>(c[1]), static_cast<float>(c[2]));
        const auto r = made(v);
        const Look look = lookFor(*r, r->usual);
        for (const QVector3D& towards :
             {QVector3D(1, 0, 0), QVector3D(0, -1, 0), QVector3D(0, 0, 1), QVector3D(0.6F, 0, -0.8F)}) {
            const auto hit = firstSurface(*r, look, {center - towards * 200, towards}, {});
            ASSERT_TRUE(hit) << letters;
            EXPECT_NEAR((*hit - center).length(), kRadius, 1.5) << letters;
            EXPECT_LT(QVector3D::dotProduct(*hit - center, towards), 0) << "on the viewer's side";
        }
        EXPECT_FALSE(firstSurface(*r, look, {center + QVector3D(0, 30, -200), {0, 0, 1}}, {})) << "beside";
        EXPECT_FALSE(firstSurface(*r, look, {center + QVector3D(0, 0, 200), {0, 0, 1}}, {})) << "behind";
    }
}

TEST(FirstSurface, StopsAtTheCropsFace) {
    const auto v = ball(40);
    const auto r = made(v);
    const Look look = lookFor(*r, r->usual);
    const Ray ray{{kCenter, -100, kCenter}, {0, 1, 0}};
    const auto cut = firstSurface(*r, look, ray, clipPlanes({{0, 20, 0}, {40, 20, 40}}, v.geometry()));
    ASSERT_TRUE(cut);
    EXPECT_NEAR(cut->y(), 19.5, 1.5);
    EXPECT_FALSE(firstSurface(*r, look, ray, clipPlanes({{0, 0, 0}, {10, 40, 40}}, v.geometry())));
}

TEST(FirstSurface, OfAHazeIsWhereItIsThickest) {
    // A faint slab with a thick core.
    const auto v = makeVolume({40, 40, 40}, [](auto, auto j, auto) {
        return j < 10 || j >= 30 ? 0.0F : j >= 18 && j < 22 ? 1000.0F : 500.0F;
    });
    const auto r = made(v);
    const Look haze{{200, 0, {}}, {500, 0.002, {}}, {900, 0.02, {}}};
    const auto hit = firstSurface(*r, haze, {{20, -50, 20}, {0, 1, 0}}, {});
    ASSERT_TRUE(hit);
    EXPECT_NEAR(hit->y(), 19.5, 3);
    const Look clear{{200, 0, {}}, {900, 0.00001, {}}};
    EXPECT_FALSE(firstSurface(*r, clear, {{20, -50, 20}, {0, 1, 0}}, {})) << "too faint to be seen";
}

TEST(ClipPlanes, KeepABoxOfWholeVoxels) {
    const auto v = makeVolume({10, 12, 14}, [](auto, auto, auto) { return 0.0F; }, "PIR", {1, 2, 3});
    const PatchBox box{{2, 3, 4}, {5, 6, 7}};
    const ClipPlanes planes = clipPlanes(box, v.geometry());
    ASSERT_EQ(planes.size(), 6U);
    for (std::int64_t i = 0; i < 10; ++i) {
        for (std::int64_t j = 0; j < 12; ++j) {
            for (std::int64_t k = 0; k < 14; ++k) {
                const auto mm = v.geometry().toMillimeters(
                    {static_cast<double>(i), static_cast<double>(j), static_cast<double>(k)});
                const QVector4D at(static_cast<float>(mm[0]), static_cast<float>(mm[1]),
                                   static_cast<float>(mm[2]), 1);
                const bool kept = std::ranges::all_of(
                    planes, [&](const QVector4D& plane) { return QVector4D::dotProduct(plane, at) >= 0; });
                const bool inside = i >= 2 && i < 7 && j >= 3 && j < 9 && k >= 4 && k < 11;
                EXPECT_EQ(kept, inside) << i << ", " << j << ", " << k;
            }
        }
    }
}

}  // namespace
}  // namespace highwater::widgets
