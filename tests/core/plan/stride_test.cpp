#include <gmock/gmock.h>

#include "tests/core/plan/volumes.h"

namespace highwater::plan::testing {
namespace {

using Three = std::array<std::int64_t, 3>;

Three strideOfLayers(const std::string& layers) {
    return strideOf(onCohort(layers));
}

TEST(StrideOf, NothingIsScaled) {
    EXPECT_EQ(strideOfLayers(conv(4) + "," + conv(1)), (Three{1, 1, 1}));
    EXPECT_EQ(strideOfLayers(R"({"type": "max_pool", "kernel_size": 3, "stride": 1, "padding": 1})"),
              (Three{1, 1, 1}));
    EXPECT_EQ(strideOf({}), (Three{1, 1, 1}));
}

TEST(StrideOf, StridesAndPoolingsMultiplyAlongEachAxis) {
    EXPECT_EQ(strideOfLayers(conv(4, R"(, "stride": 2)") + "," + conv(4, R"(, "stride": [1, 2, 3])")),
              (Three{2, 4, 6}));
    EXPECT_EQ(strideOfLayers(R"({"type": "max_pool", "kernel_size": 2}, {"type": "avg_pool",
        "kernel_size": 3, "stride": [1, 2, 2], "padding": 1})"),
              (Three{2, 4, 4}));
    EXPECT_EQ(strideOfLayers(R"({"type": "separable_conv", "out_channels": 4, "kernel_size": 3, "padding": 1,
        "stride": 2}, {"type": "upsample", "scale_factor": 0.5})"),
              (Three{4, 4, 4}));
}

TEST(StrideOf, WhatGoesUpAgainDoesNotCountTwice) {
    EXPECT_EQ(strideOfLayers(smallUnet()), (Three{2, 4, 4}));
    // Down by 2, up again, then down by 3: multiples of 2 and of 3, so of 6.
    EXPECT_EQ(strideOfLayers(conv(4, R"(, "stride": 2)") + R"(, {"type": "upsample", "scale_factor": 2},)" +
                             conv(4, R"(, "stride": 3)")),
              (Three{6, 6, 6}));
    // Up first: 2x as many voxels, of which every second is taken.
    EXPECT_EQ(strideOfLayers(R"({"type": "upsample", "scale_factor": 2},)" + conv(4, R"(, "stride": 2)")),
              (Three{1, 1, 1}));
}

TEST(StrideOf, ABranchGoesOnFromItsLayer) {
    const std::string residual = R"({"type": "relu", "id": "in"},)" + conv(4, R"(, "stride": 2, "id": "a")") +
                                 R"(,{"type": "branch", "with": "in"},)" + conv(4, R"(, "stride": 2)") +
                                 R"(,{"type": "add", "with": "a"})";
    EXPECT_EQ(strideOfLayers(R"({"type": "block", "name": "b", "layers": [)" + residual + "]}"),
              (Three{2, 2, 2}));
}

TEST(StrideOf, AxesThatTheInputLacks) {
    stack::Experiment flat = onCohort(conv(4, R"(, "stride": 2)"));
    flat.input = stack::SyntheticInput{{1, 64, 64}};
    EXPECT_EQ(strideOf(flat), (Three{1, 2, 2}));
}

TEST(StrideOf, NumbersBeyondAnyVolumeDoNotOverflow) {
    std::string layers;
    for (int i = 0; i < 40; ++i) {
        layers += (i ? "," : "") + conv(1, R"(, "stride": 1000003)");
    }
    for (const std::int64_t stride : strideOfLayers(layers)) {
        EXPECT_GT(stride, 1'000'000);
        EXPECT_LT(stride, std::int64_t{1} << 31);
    }
}

}  // namespace
}  // namespace highwater::plan::testing
