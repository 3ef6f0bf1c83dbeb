#include "widgets/scan/render_volume.h"

#include <gtest/gtest.h>

#include "tests/widgets/scan/volumes.h"
#include "widgets/scan/islands.h"
#include "widgets/scan/orbit_camera.h"
#include "widgets/scan/sampling.h"
#include "widgets/scan/volume_look.h"

namespace highwater::widgets {
namespace {

using highwater::testing::ball;
using highwater::testing::makeVolume;

std::shared_ptr<const RenderVolume> made(const volume::Volume& v) {
    const std::atomic<bool> go{false};
    return makeRenderVolume(v, volume::histogram(v), go);
}

/// The patient position (mm) of the brightest voxel.
QVector3D brightest(const RenderVolume& r) {
    const auto n = std::ranges::max_element(r.voxels) - r.voxels.begin();
    const auto i = n % r.size[0], j = n / r.size[0] % r.size[1], k = n / (r.size[0] * r.size[1]);
    return r.toPatient.map(QVector3D(static_cast<float>(i * r.spacing[0]),
                                     static_cast<float>(j * r.spacing[1]),
                                     static_cast<float>(k * r.spacing[2])));
}

TEST(RenderVolume, KeepsPlacesAndIsRightHanded) {
    for (const std::string letters : {"RAS", "LAS", "PIR", "LPI", "SAR"}) {
        const auto v = makeVolume({12, 14, 16},
                                  [](auto i, auto j, auto k) {
                                      const auto d = std::abs(i - 3) + std::abs(j - 9) + std::abs(k - 5);
                                      return d == 0 ? 4000.0F : d < 4 ? 900.0F : 0.0F;
                                  },
                                  letters, {1, 2, 1.5});
        const auto r = made(v);
        ASSERT_TRUE(r);
        EXPECT_GT(r->toPatient.determinant(), 0.99) << letters;
        const auto mm = v.geometry().toMillimetres({3, 9, 5});
        const QVector3D at = brightest(*r);
        EXPECT_NEAR(at.x(), mm[0], 1e-3) << letters;
        EXPECT_NEAR(at.y(), mm[1], 1e-3) << letters;
        EXPECT_NEAR(at.z(), mm[2], 1e-3) << letters;
    }
}

TEST(RenderVolume, IsCroppedToWhatIsNotAir) {
    const auto v = makeVolume({60, 60, 60}, [](auto i, auto j, auto k) {
        const bool in = i >= 40 && i < 50 && j >= 20 && j < 30 && k >= 10 && k < 20;
        return in ? 500.0F : 0.0F;
    });
    const auto r = made(v);
    for (const int n : r->size)
        EXPECT_LT(n, 26);
}

TEST(RenderVolume, TinyConstantAndNanVolumes) {
    const auto nan = std::numeric_limits<float>::quiet_NaN();
    for (const auto& v : {makeVolume({1, 1, 1}, [](auto, auto, auto) { return 5.0F; }),
                          makeVolume({2, 2, 2}, [](auto i, auto, auto) { return static_cast<float>(i); }),
                          makeVolume({30, 30, 1}, [](auto i, auto, auto) { return static_cast<float>(i); }),
                          makeVolume({4, 4, 4}, [=](auto i, auto, auto) { return i == 0 ? nan : 7.0F; }),
                          makeVolume({4, 4, 4}, [=](auto, auto, auto) { return nan; })}) {
        const auto r = made(v);
        ASSERT_TRUE(r);
        EXPECT_LT(r->low, r->high);
        EXPECT_EQ(r->voxels.size(), static_cast<std::size_t>(r->size[0]) *
                                        static_cast<std::size_t>(r->size[1]) *
                                        static_cast<std::size_t>(r->size[2]));
        const Look look = lookFor(*r, r->usual);
        for (std::size_t n = 1; n < look.size(); ++n)
            EXPECT_LT(look[n - 1].value, look[n].value);
    }
}

TEST(RenderVolume, SaysTheFactorOfALargeVolume) {
    const auto v = makeVolume({600, 8, 8}, [](auto i, auto, auto) { return static_cast<float>(i); });
    const auto r = made(v);
    EXPECT_EQ(r->factor, 3);
    EXPECT_LE(r->size[0], 258);
}

TEST(RenderVolume, StopsWhenCancelled) {
    const auto v = ball(32);
    const std::atomic<bool> stop{true};
    EXPECT_EQ(makeRenderVolume(v, volume::histogram(v), stop), nullptr);
}

TEST(Islands, SmallPiecesGoLargeOnesStay) {
    std::vector<std::uint16_t> voxels(10 * 10 * 10, 0);
    for (std::size_t n = 0; n < 500; ++n)
        voxels[n] = 900;  // five slabs
    voxels[950] = 800;    // a speck
    const std::atomic<bool> go{false};
    removeIslands(voxels, {10, 10, 10}, 100, go);
    EXPECT_EQ(voxels[950], 100);
    EXPECT_EQ(std::ranges::count(voxels, 900), 500);
}

TEST(VolumeLook, BoneWindowShowsBoneAndPeelingRaisesTheSurface) {
    RenderVolume ct;
    ct.low = -1000;
    ct.high = 3000;
    ct.hounsfield = true;
    EXPECT_EQ(lookFor(ct, volume::Window::fromLevel(40, 400))[0].value, -300);
    EXPECT_EQ(lookFor(ct, volume::Window::fromLevel(500, 2000))[0].value, 200);
    RenderVolume mr;
    mr.low = 0;
    mr.high = 1000;
    mr.surface = 50;
    mr.usual = {10, 600};
    EXPECT_EQ(lookFor(mr, mr.usual)[0].value, 50);
    EXPECT_EQ(lookFor(mr, {110, 600})[0].value, 150);
}

TEST(OrbitCamera, FacesThePatient) {
    OrbitCamera c;
    c.azimuth = 0;
    c.elevation = 0;
    EXPECT_NEAR(c.direction().y(), 1, 1e-6) << "from anterior";
    c.azimuth = 90;
    EXPECT_NEAR(c.direction().x(), -1, 1e-6) << "from the left: x grows to the right";
    c.turn(0, 500);
    EXPECT_EQ(c.elevation, OrbitCamera::kMaxElevation);
    c.zoomBy(1e6F);
    EXPECT_EQ(c.zoom, 12);
}

TEST(OrbitCamera, ThePatientsLeftIsOnTheViewersRightFaceToFace) {
    OrbitCamera c;
    c.azimuth = 0;
    c.elevation = 0;
    const QVector3D left = c.projection(1.5F).map(QVector3D(-40, 0, 0));
    EXPECT_GT(left.x(), 0);
    EXPECT_GT(c.projection(1.5F).map(QVector3D(0, 0, 40)).y(), 0);
}

TEST(Sampling, FitsTheBudgetThatItLearned) {
    SamplingChooser chooser;
    const QSize pixels(400, 400);
    const double ray = 300, truth = 6e-6;
    Sampling s;
    for (int n = 0; n < 30; ++n) {
        s = chooser.choose(pixels, ray, FrameKind::Moving);
        const double count = 400 * 400 * s.scale * s.scale * ray / s.step;
        chooser.learn(pixels, ray, s, count * truth);
    }
    EXPECT_NEAR(400 * 400 * s.scale * s.scale * ray / s.step * truth, 40, 2);
    EXPECT_GT(chooser.choose(pixels, ray, FrameKind::Best).scale, s.scale);
}

TEST(Sampling, AFastMachineGetsTheFinestAndASlowOneTheLimit) {
    for (const double cost : {1e-9, 1e-2}) {
        SamplingChooser chooser;
        for (int n = 0; n < 40; ++n) {
            const Sampling s = chooser.choose({300, 300}, 300, FrameKind::Resting);
            chooser.learn({300, 300}, 300, s, 300 * 300 * s.scale * s.scale * 300 / s.step * cost);
        }
        const Sampling s = chooser.choose({300, 300}, 300, FrameKind::Resting);
        EXPECT_EQ(s, (cost < 1e-3 ? Sampling{1, 0.7} : Sampling{0.5, 1.5}));
    }
}

}  // namespace
}  // namespace highwater::widgets
