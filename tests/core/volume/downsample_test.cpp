#include "core/volume/downsample.h"

#include <gmock/gmock.h>

#include <cmath>

#include "tests/core/volume/make_volume.h"

namespace highwater::volume {
namespace {

TEST(Downsample, IsTheMeanOfEachBlockAlsoAtTheEdge) {
    const Volume full = highwater::test::makeVolume<std::int16_t>(
        {7, 5, 3}, VoxelType::I16,
        [](auto i, auto j, auto k) { return static_cast<std::int16_t>((i * 37 + j * 11 + k * 101) % 50); }, 2,
        -5);
    const auto small = downsample(full, 4);
    ASSERT_TRUE(small.ok());
    EXPECT_EQ(small->geometry().size, (std::array<std::int64_t, 3>{4, 3, 3}));  // blocks of 2 x 2 x 1
    for (std::int64_t k = 0; k < 3; ++k) {
        for (std::int64_t j = 0; j < 3; ++j) {
            for (std::int64_t i = 0; i < 4; ++i) {
                double sum = 0;
                int count = 0;
                for (std::int64_t y = 2 * j; y < std::min<std::int64_t>(2 * j + 2, 5); ++y) {
                    for (std::int64_t x = 2 * i; x < std::min<std::int64_t>(2 * i + 2, 7); ++x) {
                        sum += full.at(x, y, k);
                        ++count;
                    }
                }
                EXPECT_FLOAT_EQ(static_cast<float>(small->at(i, j, k)), static_cast<float>(sum / count));
            }
        }
    }
}

TEST(Downsample, AnatomyStaysAtItsMillimeters) {
    Volume full = highwater::test::numbered({8, 8, 8});
    const auto small = downsample(full, 4);
    ASSERT_TRUE(small.ok());
    EXPECT_EQ(small->geometry().spacing, (std::array<double, 3>{2, 2, 2}));
    const auto mm = small->geometry().toMillimeters({1, 1, 1});
    const auto ijk = full.geometry().toIndex(mm);
    // The values increase linearly, so a block's mean is the value at its center.
    EXPECT_NEAR(small->at(1, 1, 1), 1000 * ijk[2] + 100 * ijk[1] + ijk[0], 1e-3);
}

TEST(Downsample, LeavesSmallVolumesAsTheyAre) {
    const auto small = downsample(highwater::test::numbered({3, 4, 5}), 256);
    ASSERT_TRUE(small.ok());
    EXPECT_EQ(small->geometry(), highwater::test::numbered({3, 4, 5}).geometry());
    EXPECT_EQ(small->at(2, 3, 4), 4302);
}

TEST(Downsample, SkipsWhatIsNotFinite) {
    const Volume full = highwater::test::makeVolume<float>(
        {2, 2, 2}, VoxelType::F32, [](auto i, auto, auto) { return i == 0 ? std::nanf("") : 6.0F; });
    EXPECT_EQ(downsample(full, 1)->at(0, 0, 0), 6);
}

TEST(Downsample, StopsWhenCancelledAndReportsProgress) {
    std::atomic<bool> cancel{false};
    double last = 0;
    DownsampleOptions options;
    options.cancel = &cancel;
    options.progress = [&](double fraction) {
        EXPECT_GT(fraction, last);
        last = fraction;
    };
    EXPECT_TRUE(downsample(highwater::test::numbered({4, 4, 4}), 2, options).ok());
    EXPECT_EQ(last, 1);
    cancel = true;
    EXPECT_EQ(downsample(highwater::test::numbered({4, 4, 4}), 2, options).error().message, "cancelled");
}

}  // namespace
}  // namespace highwater::volume
