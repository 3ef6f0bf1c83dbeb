#include "app/desktop/experiment/target/gpu_values.h"

#include <gmock/gmock.h>

#include "app/desktop/prediction/differences.h"
#include "app/desktop/run/live_values.h"
#include "core/report/colors.h"
#include "tests/core/wire/gpu_run.h"
#include "tests/widgets/qt_main.h"
#include "widgets/plot/memory_scene.h"
#include "widgets/plot/step_groups.h"
#include "widgets/plot/steps_scene.h"
#include "widgets/theme/theme.h"

HIGHWATER_QT_MAIN()

namespace highwater::desktop {
namespace {

using ::testing::HasSubstr;
using wire::test::GpuRun;

TEST(GpuValues, TheStripsPartsSumToWhatNvidiaSmiShows) {
    const wire::RunResult result = wire::test::gpuResult({});
    const auto status = endStatus(result);
    ASSERT_TRUE(status);
    EXPECT_EQ(status->used(), result.deviceAtPeak->used());
    EXPECT_EQ(status->when, "at the peak");
    EXPECT_EQ(toGauge(*result.deviceAtPeak).used(), result.deviceAtPeak->used());
    EXPECT_EQ(status->conditions, "1980 MHz of 1980, 54 °C, 513 W");
    EXPECT_TRUE(status->warnings.isEmpty());
    EXPECT_EQ(status->advice, "");
}

TEST(GpuValues, ACpuRunHasNoStrip) {
    EXPECT_FALSE(endStatus({}));
}

TEST(GpuValues, WarnsOfThrottlingAndOfASlowerHost) {
    const auto status = endStatus(wire::test::gpuResult({.hostBound = true, .throttled = true}));
    EXPECT_THAT(status->warnings.join('\n').toStdString(), HasSubstr("slowed down by power cap"));
    EXPECT_THAT(status->warnings.join('\n').toStdString(), HasSubstr("the GPU waits for the host"));
}

TEST(GpuValues, AfterOutOfMemoryTheFailureIsShownWithItsAdvice) {
    const wire::RunResult result = wire::test::gpuResult({.outOfMemory = true});
    const auto status = endStatus(result);
    EXPECT_EQ(status->when, "when it failed");
    EXPECT_EQ(status->used(), result.failure->device->used());
    EXPECT_EQ(status->failure, QString::fromStdString(result.failure->why));
    EXPECT_EQ(status->batch, 3);
    EXPECT_THAT(status->advice.toStdString(), HasSubstr("a batch of 3 would have fitted"));
}

wire::LedgerSample sampleOf(int step, double time, base::Bytes reserved) {
    wire::LedgerSample sample;
    sample.step = step;
    sample.time = time;
    sample.device = wire::DeviceMemory{.tensors = reserved};
    return sample;
}

std::vector<base::Bytes> filled(const ReservedTrack& track, int step) {
    std::vector<widgets::MemoryPoint> points = {{0, {}}, {5, {}}, {20, {}}};
    track.fill(step, points);
    return {points[0].reserved, points[1].reserved, points[2].reserved};
}

TEST(ReservedTrack, GivesEachPointWhatWasHeldThen) {
    ReservedTrack track;
    EXPECT_THAT(filled(track, 0), ::testing::Each(0)) << "nothing was said";
    track.add(sampleOf(0, 100, 10));
    track.add(sampleOf(0, 105, 30));
    track.add(sampleOf(1, 130, 40));
    EXPECT_THAT(filled(track, 0), ::testing::ElementsAre(10, 30, 30));
    EXPECT_THAT(filled(track, 1), ::testing::ElementsAre(40, 40, 40));
    EXPECT_THAT(filled(track, 2), ::testing::Each(40)) << "no sample in this step: as it was before";
}

TEST(ReservedTrack, IsNeverBelowTheTensors) {
    ReservedTrack track;
    track.add(sampleOf(0, 100, 10));
    memory::Ledger ledger;
    ledger[memory::Category::Activations] = 25;
    std::vector<widgets::MemoryPoint> points = {{1, ledger}};
    track.fill(0, points);
    EXPECT_EQ(points[0].reserved, 25);
}

TEST(GpuScenes, ReservedIsAnOutlineAboveTheTensors) {
    widgets::MemoryTrack track;
    track.step = 0;
    for (int i = 0; i < 10; ++i) {
        memory::Ledger ledger;
        ledger[memory::Category::Activations] = (1 + i) * base::kMiB;
        track.points.push_back({1.0 * i, ledger, (i < 5 ? 16 : 32) * base::kMiB});
    }
    const auto scene = widgets::memoryScene({}, track, 0, 9, {400, 200}, QFontMetricsF(QApplication::font()));
    ASSERT_EQ(scene.outlines.size(), 1U);
    EXPECT_FALSE(scene.outlines[0].dotted);
    ASSERT_EQ(scene.outlines[0].points.size(), 2U) << "a point where it changes";
    EXPECT_EQ(scene.outlines[0].points[1].y, 32.0 * base::kMiB);
    EXPECT_GE(scene.upper, 32.0 * base::kMiB);
    EXPECT_EQ(widgets::memoryLegend(track).back().name, "reserved");
    EXPECT_EQ(widgets::memoryCard({}, track, 7).rows.front().value, "32.0 MiB");
    for (auto& point : track.points) {
        point.reserved = 0;
    }
    EXPECT_TRUE(widgets::memoryScene({}, track, 0, 9, {400, 200}, QFontMetricsF(QApplication::font()))
                    .outlines.empty())
        << "a CPU run is drawn as ever";
}

TEST(GpuScenes, AStepsCardHasGpuAndHostApart) {
    const auto card = [](const GpuRun& run) {
        const widgets::StepBar bar = toStepBar(wire::test::gpu_run::stepDone(3, run));
        const std::vector<widgets::StepBar> bars = {bar};
        widgets::RunShape shape;
        shape.warmup = 2;
        shape.steps = 8;
        return widgets::timeCard(shape, widgets::groupSteps(shape, bars, 0, 10, 1), 2);
    };
    const auto gpuBound = card({});
    EXPECT_EQ(gpuBound.note, "");
    EXPECT_THAT(gpuBound.rows.back().value.toStdString(), HasSubstr("· host "));
    EXPECT_EQ(card({.hostBound = true}).note, "the GPU waits for the host");
}

TEST(GpuColors, WindowAndReportHaveTheSame) {
    const auto same = [](const widgets::Theme& theme, const report::Palette& palette) {
        for (std::size_t i = 0; i < palette.device.size(); ++i) {
            EXPECT_EQ(theme.device[i].rgb() & 0xffffffU, palette.device[i]) << i;
        }
    };
    widgets::applyTheme(*qApp, widgets::ThemeMode::Dark);
    same(widgets::theme(), report::kDark);
    widgets::applyTheme(*qApp, widgets::ThemeMode::Light);
    same(widgets::theme(), report::kLight);
}

}  // namespace
}  // namespace highwater::desktop
