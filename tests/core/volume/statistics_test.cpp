#include "core/volume/statistics.h"

#include <gmock/gmock.h>

#include <cmath>

#include "tests/core/volume/make_volume.h"

namespace highwater::volume {
namespace {

TEST(Statistics, ChunksGiveWhatTheWholeGives) {
    std::vector<std::uint32_t> values(200000);
    double sum = 0;
    for (std::size_t at = 0; at < values.size(); ++at) {
        values[at] = static_cast<std::uint32_t>(4000000000U - at * 7);
        sum += values[at];
    }
    const auto* bytes = reinterpret_cast<const std::byte*>(values.data());
    StatisticsPass pass(VoxelType::U32);
    pass.add(bytes, 70001);
    pass.add(bytes + 70001 * 4, 129999);
    const auto result = pass.result(1, 0);
    EXPECT_EQ(result.max, 4000000000.0);
    EXPECT_EQ(result.min, 4000000000.0 - 199999 * 7);
    EXPECT_NEAR(result.mean, sum / 200000, 1e-6);
    EXPECT_EQ(result.finite, 200000);
}

TEST(Statistics, NoFiniteVoxelGivesNoNumbers) {
    const double nothing[] = {std::nan(""), INFINITY};
    StatisticsPass pass(VoxelType::F64);
    pass.add(reinterpret_cast<const std::byte*>(nothing), 2);
    EXPECT_TRUE(std::isnan(pass.result(1, 0).mean));
    EXPECT_EQ(pass.result(1, 0).total, 2);
}

TEST(Histogram, PercentilesOfARamp) {
    const Volume ramp = highwater::test::makeVolume<std::int16_t>(
        {100, 100, 10}, VoxelType::I16, [](auto i, auto, auto) { return static_cast<std::int16_t>(i); });
    const auto h = histogram(ramp, 99);
    EXPECT_EQ(h.finite, 100000);
    EXPECT_NEAR(h.percentile(0.5), 50, 1);
    EXPECT_NEAR(h.percentile(0.01), 1, 1);
    EXPECT_NEAR(h.percentile(1), 99, 1e-9);
    EXPECT_NEAR(h.percentile(0), 0, 1e-9);
}

TEST(Histogram, OtsuParts) {
    const Volume two = highwater::test::makeVolume<float>(
        {20, 20, 20}, VoxelType::F32,
        [](auto i, auto j, auto) { return static_cast<float>(i < 14 ? j * 0.1 : 100 + j * 0.1); });
    const double threshold = histogram(two).otsu();
    EXPECT_GT(threshold, 2);
    EXPECT_LT(threshold, 100);
}

TEST(Histogram, ConstantVolume) {
    const Volume flat = highwater::test::makeVolume<std::uint8_t>(
        {4, 4, 4}, VoxelType::U8, [](auto, auto, auto) { return std::uint8_t{9}; });
    const auto h = histogram(flat);
    EXPECT_EQ(h.finite, 64);
    EXPECT_EQ(h.percentile(0.5), 9);
    EXPECT_EQ(h.otsu(), 9);
}

}  // namespace
}  // namespace highwater::volume
