#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/desktop/prediction/differences.h"
#include "app/desktop/prediction/forecast_values.h"
#include "app/desktop/prediction/growth_dialog.h"
#include "tests/app/desktop/experiment/stack/predictions.h"
#include "tests/app/desktop/experiment/stack/stacks.h"

namespace highwater::desktop {
namespace {

using base::kMiB;
using highwater::testing::predictionOf;

stack::StackInfo infoOf(const std::string& text) {
    return *stack::inferShapes(highwater::testing::experimentFrom(text));
}

wire::RunResult resultOf(const stack::StackInfo& info) {
    wire::RunResult result;
    result.peakAllocated = 110 * kMiB;
    result.stepMs = {50, 40, 60, 10};
    for (std::size_t i = 0; i < info.layers.size(); ++i) {
        wire::LayerCost cost;
        cost.name = info.layers[i].name;
        cost.activationBytes = static_cast<base::Bytes>(i) * kMiB + (i == 2 ? 4096 : 0);
        cost.forwardMs = 3;
        result.layers.push_back(cost);
    }
    return result;
}

const Difference* find(const std::vector<Difference>& rows, int layer) {
    for (const Difference& row : rows) {
        if (row.layer == layer) {
            return &row;
        }
    }
    return nullptr;
}

TEST(Differences, SayWhatWasMissedAndWhy) {
    const auto info = infoOf("conv relu conv");
    auto prediction = predictionOf(3);
    prediction.layers[0].backwardBytes = predict::Estimate::of(kMiB);
    prediction.layers[2].backwardBytes = predict::Estimate::of(kMiB);
    prediction.convolutions = 4;
    prediction.withoutRow = 1;
    prediction.peakByCategory[memory::Category::Temporaries] = 5 * kMiB;
    const auto result = resultOf(info);
    const auto rows = differences(prediction, info, &result, false);
    EXPECT_EQ(rows[1].name, "peak");
    EXPECT_EQ(rows[1].residual(), 10 * kMiB);
    EXPECT_EQ(rows[1].measuredMs, 50);
    EXPECT_EQ(find(rows, 0)->residual(), 0);
    EXPECT_EQ(find(rows, 0)->why, "by rule, equal to the byte");
    EXPECT_TRUE(find(rows, 1)->why.contains("not calibrated")) << "its backward is a guess";
    EXPECT_EQ(find(rows, 2)->residual(), 4096);
    EXPECT_EQ(find(rows, 2)->predictedMs, 6);
    bool said = false;
    for (const Difference& row : rows) {
        said = said || row.why == "1 of 4 convolution passes: this shape is not calibrated, a guess";
    }
    EXPECT_TRUE(said);
}

TEST(Differences, ARunOfOtherLayersHasNoLayersToCompare) {
    const auto info = infoOf("conv relu conv");
    const auto result = resultOf(infoOf("conv relu gelu"));
    const auto rows = differences(predictionOf(3), info, &result, true);
    EXPECT_TRUE(rows[1].measured);
    EXPECT_FALSE(find(rows, 1)->measured);
    EXPECT_TRUE(find(rows, 1)->why.contains("workspace neither measured"));
    for (const Difference& row : differences(predictionOf(3), info, nullptr, false)) {
        EXPECT_FALSE(row.residual());
    }
}

TEST(ForecastValues, KeepPhasesLayersAndTheBand) {
    const auto info = infoOf("conv relu");
    auto prediction = predictionOf(2);
    prediction.peakPhase = memory::Phase::Backward;
    prediction.peakLayer = 1;
    predict::PredictedPoint point;
    point.event = 5;
    point.phase = memory::Phase::Forward;
    point.layer = 0;
    point.low = 1;
    point.high = 3;
    point.ledger[memory::Category::Activations] = 2;
    prediction.timeline = {point, point};
    prediction.timeline[1].event = 9;
    auto forecast = toForecast(prediction, info, "this CPU");
    EXPECT_FALSE(forecast.timed) << "no time was predicted: events count";
    EXPECT_DOUBLE_EQ(forecast.points[1].ms, 9);
    EXPECT_EQ(forecast.points[0].phase, 1);
    EXPECT_EQ(forecast.peak.phase, 3);
    EXPECT_EQ(forecast.layerNames.size(), 2u);
    prediction.timeline[1].ms = 2.5;
    forecast = toForecast(prediction, info, "this CPU");
    EXPECT_TRUE(forecast.timed);
    EXPECT_DOUBLE_EQ(forecast.points[1].ms, 2.5);
}

TEST(ForecastValues, AGpuRunsOutOfWhatIsReserved) {
    auto prediction = predictionOf(1);
    prediction.peakReserved = predict::Estimate::of(200 * kMiB);
    prediction.capacity = 150 * kMiB;
    prediction.fits = predict::Fits::No;
    prediction.outOfMemory = "layer 1 asks for 3 MiB";
    prediction.guesses = {"workspaces of 14 convolutions"};
    const auto gpu = toGauge(prediction, "T4", true);
    EXPECT_EQ(gpu.expected, 200 * kMiB);
    EXPECT_EQ(gpu.fits, predict::Fits::No);
    EXPECT_TRUE(gpu.details.contains("asks for 3 MiB"));
    EXPECT_TRUE(gpu.details.contains("A guess: workspaces"));
    EXPECT_EQ(toGauge(prediction, "this CPU", false).expected, 100 * kMiB);
}

TEST(GrowthAxes, FollowTheInput) {
    stack::Experiment e = highwater::testing::experimentFrom("conv");
    EXPECT_EQ(axesOf(e), (std::vector<std::string>{"width", "height", "depth", "patch", "batch_size"}));
    e.input = stack::SyntheticInput{{1, 100, 40}};
    EXPECT_EQ(axesOf(e), (std::vector<std::string>{"width", "height", "patch", "batch_size"}));
    EXPECT_EQ(sizeAlong(e, "width"), 40);
    EXPECT_EQ(sizeAlong(e, "height"), 100);
    EXPECT_EQ(sizeAlong(e, "depth"), 0);
    EXPECT_EQ(sizeAlong(e, "patch"), 100);
    const auto scan = defaultScan(e, "height");
    EXPECT_EQ((100 - scan.from) % scan.step, 0) << "the size now is one of those looked at";
    EXPECT_GE(scan.to, 200);
    EXPECT_EQ(defaultScan(e, "batch_size").step, 1);
}

TEST(GrowthAxes, PartsJoinWithoutDoubles) {
    predict::AxisCurve curve, part;
    for (const int v : {8, 16, 24}) {
        predict::AxisPoint p;
        p.value = v;
        curve.points.push_back(p);
        p.value = v + 8;
        part.points.push_back(p);
    }
    curve.jumps = {24};
    part.jumps = {24, 32};
    join(curve, part);
    ASSERT_EQ(curve.points.size(), 4u);
    EXPECT_EQ(curve.points.back().value, 32);
    EXPECT_EQ(curve.jumps, (std::vector<std::int64_t>{24, 32}));
}

}  // namespace
}  // namespace highwater::desktop
