#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/predict/predict.h"
#include "tests/core/stack/build.h"

namespace highwater::predict {
namespace {

using stack::Experiment;
using stack::testing::experimentOf;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kConv32 = R"({"type": "conv", "out_channels": 32, "kernel_size": 3, "padding": 1})";
const std::string kUnet = R"({"type": "conv", "id": "a", "out_channels": 8, "kernel_size": 3, "padding": 1},
    {"type": "max_pool"}, {"type": "conv", "out_channels": 16, "kernel_size": 3, "padding": 1},
    {"type": "conv_transpose", "out_channels": 8, "stride": 2}, {"type": "concat", "with": "a"})";

Experiment scanned(const std::string& input, const std::string& layers) {
    auto made = experimentOf(input, layers, R"("loss": "mean", "step": {"batch_size": 1})");
    EXPECT_TRUE(made) << made.error().message;
    return std::move(made).value();
}

Target scanTarget(const Experiment& e, const char* torch = "2.3", const char* id = "a100-80") {
    auto made = gpuTarget(id, e, *parseTorchVersion(torch));
    EXPECT_TRUE(made) << made.error().message;
    return std::move(made).value();
}

AxisCurve scan(const Experiment& e, const Target& on, const AxisScan& what) {
    auto curve = scanAxis(e, on, what);
    EXPECT_TRUE(curve) << curve.error().message;
    return curve ? std::move(*curve) : AxisCurve{};
}

TEST(ScanAxis, FindsTheJumpAtTheIndexRange) {
    const Experiment e = scanned("[64, 362, 370, 251]", kConv32);
    const AxisCurve curve = scan(e, scanTarget(e), {"width", 200, 300, 10});
    ASSERT_EQ(curve.points.size(), 11U);
    EXPECT_THAT(curve.jumps, ElementsAre(260));  // 250 is the last that stays on cuDNN
    for (const AxisPoint& point : curve.points) {
        EXPECT_EQ(!point.cliffs.empty(), point.value > 250) << point.value;
    }
    EXPECT_GT(curve.points[6].allocated.expected, 4 * curve.points[5].allocated.expected);
    EXPECT_EQ(curve.points[6].fits, Fits::No);
    EXPECT_THAT(scan(e, scanTarget(e, "2.11"), {"width", 200, 300, 10}).jumps, IsEmpty());
}

TEST(ScanAxis, CallsOrdinaryGrowthNoJump) {
    const Experiment e = scanned("[4, 64, 64, 64]", kConv32);
    for (const AxisScan& what : {AxisScan{"width", 16, 256, 8}, AxisScan{"patch", 8, 128, 8},
                                 AxisScan{"batch_size", 1, 24, 1}, AxisScan{"depth", 32, 64, 16}}) {
        const AxisCurve curve = scan(e, scanTarget(e), what);
        EXPECT_THAT(curve.jumps, IsEmpty()) << what.axis;
        for (std::size_t i = 1; i < curve.points.size(); ++i) {
            EXPECT_GT(curve.points[i].allocated.expected, curve.points[i - 1].allocated.expected);
            EXPECT_GE(curve.points[i].stepMs.expected, curve.points[i - 1].stepMs.expected);
            EXPECT_GT(curve.points[i].reserved.expected, 0);
        }
    }
}

/// A patch of one axis grows with its size, not with the cube of it.
TEST(ScanAxis, APatchOfFewerAxesGrowsWithTheirVoxels) {
    for (const char* input : {"[4, 64]", "[4, 64, 64]"}) {
        const Experiment e = scanned(input, kConv32);
        EXPECT_THAT(scan(e, scanTarget(e), {"patch", 8, 256, 8}).jumps, IsEmpty()) << input;
    }
}

TEST(ScanAxis, IsWhatPredictSays) {
    const Experiment e = scanned("[4, 16, 16, 16]", kUnet);
    const Target on = scanTarget(e);
    const AxisCurve curve = scan(e, on, {"patch", 16, 32, 16});
    ASSERT_EQ(curve.points.size(), 2U);
    const Experiment twice = *withAxis(e, "patch", 32);
    const auto prediction = predict(twice, *stack::inferShapes(twice), on);
    ASSERT_TRUE(prediction);
    EXPECT_EQ(curve.points[1].allocated, prediction->peakAllocated);
    EXPECT_EQ(curve.points[1].reserved, prediction->peakReserved);
    EXPECT_EQ(curve.points[1].stepMs, prediction->stepMs);
    EXPECT_EQ(curve.points[1].fits, prediction->fits);
}

TEST(ScanAxis, LeavesOutWhatTheStackDoesNotAccept) {
    const Experiment e = scanned("[4, 16, 16, 16]", kUnet);
    const AxisCurve curve = scan(e, scanTarget(e), {"height", 10, 19, 1});
    EXPECT_EQ(curve.leftOut, 5);
    ASSERT_EQ(curve.points.size(), 5U);
    EXPECT_EQ(curve.points[0].value, 10);
    EXPECT_EQ(curve.points[1].value, 12);
    EXPECT_THAT(curve.jumps, IsEmpty());
}

TEST(ScanAxis, RefusesWhatCannotBeScanned) {
    const Experiment e = scanned("[4, 16, 16, 16]", kUnet);
    const auto refusal = [&](const AxisScan& what) {
        const auto curve = scanAxis(e, scanTarget(e), what);
        return curve ? "" : curve.error().message;
    };
    EXPECT_THAT(refusal({"channels", 1, 2, 1}), AllOf(HasSubstr("\"channels\""), HasSubstr("width")));
    EXPECT_THAT(refusal({"width", 8, 4, 1}), HasSubstr("from 8 to 4"));
    EXPECT_THAT(refusal({"width", 0, 4, 1}), HasSubstr("1 or more"));
    EXPECT_THAT(refusal({"width", 1, 4, 0}), HasSubstr("1 or more"));
    EXPECT_THAT(refusal({"width", 1, 4097, 1}), HasSubstr("4096"));
    EXPECT_THAT(refusal({"width", 1, std::numeric_limits<std::int64_t>::max(), 1}), HasSubstr("4096"));
    EXPECT_THAT(refusal({"width", 17, 17, 2}), HasSubstr("no width from 17 to 17 works"));
}

TEST(ScanAxis, StopsWhenAsked) {
    const Experiment e = scanned("[4, 16, 16, 16]", kUnet);
    const std::atomic<bool> cancelled = true;
    const auto curve = scanAxis(e, scanTarget(e), {"width", 16, 64, 2}, &cancelled);
    ASSERT_TRUE(curve);
    EXPECT_THAT(curve->points, IsEmpty());
}

}  // namespace
}  // namespace highwater::predict
