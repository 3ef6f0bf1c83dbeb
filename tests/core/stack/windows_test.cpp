#include "core/stack/windows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "core/stack/json/json.h"
#include "core/stack/shapes.h"

namespace highwater::stack {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Windows, StartsAreSpreadEvenlyFromEndToEnd) {
    EXPECT_THAT(windowStarts(64, 64, 0.5), ElementsAre(0));
    EXPECT_THAT(windowStarts(128, 64, 0.5), ElementsAre(0, 32, 64));
    EXPECT_THAT(windowStarts(128, 64, 0), ElementsAre(0, 64));
    EXPECT_THAT(windowStarts(110, 64, 0.5), ElementsAre(0, 23, 46));  // nnU-Net's own example
    EXPECT_THAT(windowStarts(5, 1, 0.9), ElementsAre(0, 1, 2, 3, 4));
}

TEST(Windows, EveryPlaceIsCoveredAndNoStepIsTooLong) {
    std::mt19937 random(1);
    for (int i = 0; i < 2000; ++i) {
        const std::int64_t size = 1 + random() % 40, length = size + random() % 200;
        const double overlap = 0.1 * static_cast<double>(random() % 10);
        const auto starts = windowStarts(length, size, overlap);
        ASSERT_EQ(starts.front(), 0);
        ASSERT_EQ(starts.back(), length - size);
        const auto most = std::max<std::int64_t>(1, static_cast<std::int64_t>(size * (1 - overlap))) + 1;
        for (std::size_t k = 1; k < starts.size(); ++k) {
            ASSERT_GT(starts[k], starts[k - 1]) << length << " " << size << " " << overlap;
            ASSERT_LE(starts[k] - starts[k - 1], most);
            ASSERT_LE(starts[k], starts[k - 1] + size) << "a gap";
        }
    }
}

TEST(Windows, CornersTurnTheLastAxisFastest) {
    const auto grid = windowGrid({{4, 6}, 0, Windows::Blend::Constant}, {2, 1, 8, 12});
    ASSERT_TRUE(grid);
    ASSERT_EQ(grid->count(), 4);
    EXPECT_THAT(grid->corner(0), ElementsAre(0, 0));
    EXPECT_THAT(grid->corner(1), ElementsAre(0, 6));
    EXPECT_THAT(grid->corner(2), ElementsAre(4, 0));
    EXPECT_THAT(grid->corner(3), ElementsAre(4, 6));
}

TEST(Windows, GaussianWeightsAreHighestInTheMiddleAndNeverNothing) {
    const auto weights = windowWeights(Windows::Blend::Gaussian, 64);
    ASSERT_EQ(weights.size(), 64U);
    EXPECT_FLOAT_EQ(weights[31], 1);
    EXPECT_FLOAT_EQ(weights[32], 1);
    EXPECT_FLOAT_EQ(weights[0], 1e-3F);
    EXPECT_NEAR(weights[24], 0.6456F, 1e-4);  // exp((0.5^2 - 7.5^2) / 128)
    for (std::size_t i = 0; i < 32; ++i) {
        EXPECT_EQ(weights[i], weights[63 - i]);
    }
    for (const float weight : windowWeights(Windows::Blend::Constant, 5)) {
        EXPECT_EQ(weight, 1);
    }
    EXPECT_THAT(windowWeights(Windows::Blend::Gaussian, 1), ElementsAre(1));
}

base::Result<StackInfo> infer(const std::string& members) {
    const auto e = parseExperiment(
        R"({"schema": "highwater.experiment/1", "input": {"synthetic": [1, 64, 48, 40]}, "stack": [
            {"type": "conv", "out_channels": 1, "padding": 1}], )" +
            members + "}",
        "test");
    EXPECT_TRUE(e) << (e ? "" : e.error().message);
    return inferShapes(*e);
}

TEST(Windows, TheNetworkReadsOneWindow) {
    const auto info = infer(R"("windows": {"size": [32, 64, 20]})");
    ASSERT_TRUE(info) << info.error().message;
    EXPECT_THAT(info->data, ElementsAre(1, 1, 64, 48, 40));
    EXPECT_THAT(info->input, ElementsAre(1, 1, 32, 48, 20)) << "at most the data's size";
    EXPECT_THAT(info->layers[0].output, ElementsAre(1, 1, 32, 48, 20));
}

TEST(Windows, ErrorsSayWhatWouldBeRight) {
    EXPECT_THAT(infer(R"("windows": {"size": [32, 64]})").error().message,
                HasSubstr("size has 2 numbers for 3d data; give one, or one an axis"));
    EXPECT_THAT(windowGrid({{1}, 0.9, {}}, {1, 1, 4096, 4096, 4096}).error().message,
                HasSubstr("more than 1000000 windows are needed"));
    const auto e = parseExperiment(
        R"({"schema": "highwater.experiment/1", "input": {"synthetic": [1, 64]}, "loss": "mean", "stack": [
            {"type": "conv", "out_channels": 1}], "windows": {"size": 32}, "step": {"train": false}})",
        "test");
    ASSERT_TRUE(e);
    EXPECT_THAT(inferShapes(*e).error().message,
                HasSubstr("the stack's output must be as large as a window, 32, not 30"));
}

}  // namespace
}  // namespace highwater::stack
