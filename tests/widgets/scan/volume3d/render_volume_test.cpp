#include "widgets/scan/volume3d/render_volume.h"

#include <gtest/gtest.h>

#include "tests/widgets/scan/orientations.h"
#include "widgets/scan/volume3d/islands.h"
#include "widgets/scan/volume3d/render_grid.h"
#include "widgets/scan/volume3d/render_pick.h"
#include "widgets/scan/volume3d/render_worker.h"
#include "widgets/scan/volume3d/volume_look.h"

namespace highwater::widgets {
namespace {

using highwater::testing::allOrientations;
using highwater::testing::ball;
using highwater::testing::bumpyVolume;
using highwater::testing::makeVolume;

std::shared_ptr<const RenderVolume> madeVolume(const volume::Volume& v, int most = kFineVoxels) {
    const std::atomic<bool> go{false};
    return makeRenderVolume(v, renderScale(v, volume::histogram(v)), most, go);
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
        const auto r = madeVolume(v);
        ASSERT_TRUE(r);
        EXPECT_GT(r->toPatient.determinant(), 0.99) << letters;
        const auto mm = v.geometry().toMillimeters({3, 9, 5});
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
    const auto r = madeVolume(v);
    for (const int n : r->size) {
        EXPECT_LT(n, 26);
    }
}

TEST(RenderVolume, TinyConstantAndNanVolumes) {
    const auto nan = std::numeric_limits<float>::quiet_NaN();
    for (const auto& v : {makeVolume({1, 1, 1}, [](auto, auto, auto) { return 5.0F; }),
                          makeVolume({2, 2, 2}, [](auto i, auto, auto) { return static_cast<float>(i); }),
                          makeVolume({30, 30, 1}, [](auto i, auto, auto) { return static_cast<float>(i); }),
                          makeVolume({4, 4, 4}, [=](auto i, auto, auto) { return i == 0 ? nan : 7.0F; }),
                          makeVolume({4, 4, 4}, [=](auto, auto, auto) { return nan; })}) {
        const auto r = madeVolume(v);
        ASSERT_TRUE(r);
        EXPECT_LT(r->low, r->high);
        EXPECT_EQ(r->voxels.size(), static_cast<std::size_t>(r->size[0]) *
                                        static_cast<std::size_t>(r->size[1]) *
                                        static_cast<std::size_t>(r->size[2]));
        const Look look = lookFor(*r, r->usual);
        for (std::size_t n = 1; n < look.size(); ++n) {
            EXPECT_LT(look[n - 1].value, look[n].value);
        }
    }
}

TEST(RenderVolume, SaysTheFactorOfALargeVolume) {
    const auto v = makeVolume({600, 8, 8}, [](auto i, auto, auto) { return static_cast<float>(i); });
    const auto r = madeVolume(v);
    EXPECT_EQ(r->factor, 3);
    EXPECT_LE(r->size[0], 258);
}

/// A sample that is almost opaque has the shade of a random depth: the surface looks grainy.
TEST(RenderVolume, NoSampleOfASmallVolumeIsAllButOpaque) {
    const auto step = [](std::int64_t size) {
        const auto r = madeVolume(ball(size), kFineVoxels);
        EXPECT_LE(r->rayStep(), 0.75 * r->opacityUnit * (1 + 1e-9)) << size;
        return r->rayStep() / std::ranges::min(r->spacing);
    };
    EXPECT_LT(step(24), 0.15);
    EXPECT_LT(step(48), 0.3);
}

TEST(RenderVolume, FitsAnyTextureLimit) {
    const auto v = makeVolume({300, 20, 6}, [](auto i, auto, auto) { return static_cast<float>(i); });
    for (const int axis : {64, 256, 2048}) {
        for (const bool software : {true, false}) {
            const int most = RenderLimits{axis, software}.most();
            EXPECT_LE(most, software ? 256 : 512);
            const auto r = madeVolume(v, most);
            for (const int n : r->size) {
                EXPECT_LE(n, axis);
            }
            EXPECT_EQ(r->factor, (299 + most) / most);
        }
    }
}

TEST(RenderVolume, CoarseAndFineShowTheSameAtTheSameMillimeters) {
    const auto v = ball(160);
    const auto coarse = madeVolume(v, 40), fine = madeVolume(v);
    EXPECT_EQ(coarse->factor, 4);
    EXPECT_EQ(fine->factor, 1);
    for (const float x : {5.0F, 50.0F, 79.0F, 110.0F, 155.0F}) {
        EXPECT_NEAR(valueAt(*coarse, {x, 79, 79}), valueAt(*fine, {x, 79, 79}), 30) << x;
    }
}

TEST(RenderVolume, TheSameAnatomyInAll48Orientations) {
    const auto reference = madeVolume(bumpyVolume("RAS"));
    ASSERT_EQ(allOrientations().size(), 48U);
    int differs = 0, places = 0;
    for (const std::string& letters : allOrientations()) {
        const auto v = bumpyVolume(letters);
        ASSERT_EQ(v.geometry().orientation(), letters);
        const auto r = madeVolume(v);
        EXPECT_GT(r->toPatient.determinant(), 0.99) << letters;
        for (float x = 1; x < 34; x += 4) {
            for (float y = 1; y < 38; y += 4) {
                for (float z = 1; z < 42; z += 4) {
                    EXPECT_NEAR(valueAt(*r, {x, y, z}), valueAt(*reference, {x, y, z}), 2)
                        << letters << " at " << x << ", " << y << ", " << z;
                    differs +=
                        std::abs(valueAt(*r, {34.5F - x, y, z}) - valueAt(*reference, {x, y, z})) > 100;
                    ++places;
                }
            }
        }
    }
    EXPECT_GT(differs, places / 50) << "mirrored, it would be another anatomy";
}

TEST(RenderVolume, ExtremeSpacingsAndValues) {
    const float huge = 1e30F, inf = std::numeric_limits<float>::infinity();
    const std::array<double, 3> flat{0.1, 0.1, 10};
    for (const auto& v :
         {makeVolume(
              {64, 64, 40}, [](auto i, auto, auto k) { return static_cast<float>(i + k); }, "RAS", flat),
          makeVolume({5, 5, 5}, [=](auto, auto, auto) { return huge; }),
          makeVolume({5, 5, 5}, [=](auto i, auto, auto) { return i == 2   ? inf
                                                                 : i == 3 ? -inf
                                                                          : 4.0F + i; }),
          makeVolume({9, 1, 1}, [](auto i, auto, auto) { return static_cast<float>(i); }),
          makeVolume({1, 9, 300}, [](auto, auto j, auto) { return static_cast<float>(j); })}) {
        const auto r = madeVolume(v);
        ASSERT_TRUE(r);
        EXPECT_LT(r->low, r->high);
        EXPECT_TRUE(std::isfinite(r->surface));
        EXPECT_TRUE(std::isfinite(r->rayStep()));
        EXPECT_LE(r->diagonal() / r->rayStep(), 1501) << "samples along a ray";
        EXPECT_GE(r->rayStep(), std::min(std::ranges::min(r->spacing), 0.75 * r->opacityUnit));
    }
    EXPECT_TRUE(madeVolume(makeVolume({5, 5, 5}, [=](auto, auto, auto) { return huge; }))->uniform);
    EXPECT_FALSE(madeVolume(ball(8))->uniform);
}

TEST(RenderVolume, AWideThinScanIsReadInBlocks) {
    volume::Header h;
    h.type = volume::VoxelType::U8;
    h.geometry.size = {4096, 4096, 3};
    h.geometry.spacing = {0.05, 0.05, 3};
    h.max = 200;
    h.mean = 50;
    auto voxels = std::make_shared<std::vector<std::uint8_t>>(static_cast<std::size_t>(h.geometry.voxels()));
    for (std::size_t n = 0; n < voxels->size(); ++n) {
        (*voxels)[n] = n / 4096 % 4096 < 2048 && n % 4096 > 1000 ? 200 : 0;
    }
    const volume::Volume v(
        h, std::shared_ptr<const std::byte>(voxels, reinterpret_cast<const std::byte*>(voxels->data())));
    const auto r = madeVolume(v);
    EXPECT_EQ(r->factor, 16);
    EXPECT_LE(std::ranges::max(r->size), 258);
    EXPECT_NEAR(valueAt(*r, {150, 50, 3}), 200, 1);
    EXPECT_NEAR(valueAt(*r, {150, 150, 3}), 0, 1);
}

TEST(RenderGrid, IsCroppedInPlaceWithARim) {
    RenderGrid grid{{6, 5, 5}, std::vector<std::uint16_t>(6 * 5 * 5, 7)};  // 4 x 3 x 3 and the rim
    for (std::int64_t k = 0; k < 3; ++k) {
        for (std::int64_t j = 0; j < 3; ++j) {
            for (std::int64_t i = 0; i < 4; ++i) {
                grid.voxels[static_cast<std::size_t>(grid.index(i + 1, j + 1, k + 1))] =
                    static_cast<std::uint16_t>(100 + i + 10 * j + 100 * k);
            }
        }
    }
    cropGrid(grid, {{1, 0, 1}, {3, 1, 2}}, true);
    ASSERT_EQ(grid.size, (std::array<std::int64_t, 3>{5, 4, 4}));
    ASSERT_EQ(grid.voxels.size(), 80U);
    for (std::int64_t k = 0; k < 4; ++k) {
        for (std::int64_t j = 0; j < 4; ++j) {
            for (std::int64_t i = 0; i < 5; ++i) {
                const bool rim = i == 0 || i == 4 || j == 0 || j == 3 || k == 0 || k == 3;
                const auto expected = rim ? 0 : 100 + (4 - i) + 10 * (j - 1) + 100 * k;
                EXPECT_EQ(grid.voxels[static_cast<std::size_t>(grid.index(i, j, k))], expected)
                    << i << ", " << j << ", " << k;
            }
        }
    }
}

TEST(RenderVolume, StopsWhenCancelled) {
    const auto v = ball(32);
    const std::atomic<bool> stop{true};
    EXPECT_EQ(makeRenderVolume(v, {}, kFineVoxels, stop), nullptr);
}

TEST(Islands, SmallPiecesGoLargeOnesStay) {
    std::vector<std::uint16_t> voxels(10 * 10 * 10, 0);
    for (std::size_t n = 0; n < 500; ++n) {
        voxels[n] = 900;  // five slabs
    }
    voxels[950] = 800;  // a speck
    const std::atomic<bool> go{false};
    removeIslands(voxels, {10, 10, 10}, 100, go);
    EXPECT_EQ(voxels[950], 100);
    EXPECT_EQ(std::ranges::count(voxels, 900), 500);
}

TEST(Islands, PiecesOfAFiftiethStay) {
    std::vector<std::uint16_t> voxels(100 * 20, 0);
    const auto fill = [&](std::size_t row, std::size_t count) {
        std::fill_n(voxels.begin() + static_cast<std::ptrdiff_t>(row * 100), count, std::uint16_t{500});
    };
    fill(0, 100);
    fill(2, 2);
    fill(4, 1);
    const std::atomic<bool> go{false};
    removeIslands(voxels, {100, 20, 1}, 100, go);
    EXPECT_EQ(std::ranges::count(voxels, 500), 102);
    EXPECT_EQ(voxels[400], 100) << "one of a hundred goes, two stay";
}

}  // namespace
}  // namespace highwater::widgets
