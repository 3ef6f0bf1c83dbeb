#include <gmock/gmock.h>

#include <QFont>
#include <algorithm>
#include <cmath>

#include "tests/widgets/plot/sample_run.h"
#include "widgets/plot/decimate.h"
#include "widgets/theme/theme.h"

namespace highwater::widgets {
namespace {

using namespace highwater::testing;

const QSizeF kPlot(800, 240);

MemoryTrack trackOf(SampleStep step, int index = 29) {
    MemoryTrack track;
    track.step = index;
    track.points = std::move(step.points);
    track.spans = std::move(step.spans);
    track.peak = step.peak;
    return track;
}

ChartScene sceneOf(const RunShape& run, const MemoryTrack& track, QSizeF plot = kPlot) {
    return memoryScene(run, track, track.begin(), track.end(), plot, QFontMetricsF(QFont()));
}

double highestTotal(const MemoryTrack& track) {
    double most = 0;
    for (const MemoryPoint& p : track.points) {
        most = std::max(most, static_cast<double>(p.ledger.total()));
    }
    return most;
}

TEST(MemoryScene, StackedSeriesSumToTheTotalInCategoryOrder) {
    const MemoryTrack track = trackOf(sampleStep());
    const ChartScene scene = sceneOf(sampleShape(), track);
    ASSERT_EQ(scene.series.size(), static_cast<std::size_t>(memory::kCategoryCount));
    EXPECT_EQ(scene.series.front().name, "input");
    EXPECT_EQ(scene.series[2].name, "optimizer state");
    EXPECT_EQ(scene.series.back().name, "temporaries");
    ASSERT_FALSE(scene.columns.empty());
    for (const Column& column : scene.columns) {
        EXPECT_TRUE(std::is_sorted(column.tops.begin(), column.tops.end()));
        const MemoryPoint* point = pointAt(track.points, column.from);
        ASSERT_NE(point, nullptr);
        EXPECT_EQ(column.tops.back(), static_cast<double>(point->ledger.total()));
        EXPECT_EQ(column.tops[0], static_cast<double>(point->ledger[Category::Input]));
    }
}

TEST(MemoryScene, ColumnsCoverTheStepWithoutGaps) {
    const MemoryTrack track = trackOf(sampleStep());
    const ChartScene scene = sceneOf(sampleShape(), track);
    EXPECT_EQ(scene.columns.front().from, 0);
    EXPECT_EQ(scene.columns.back().to, track.end());
    for (std::size_t i = 1; i < scene.columns.size(); ++i) {
        EXPECT_EQ(scene.columns[i - 1].to, scene.columns[i].from);
    }
}

TEST(MemoryScene, ThinsToThePixelsAndKeepsThePeak) {
    MemoryTrack track;
    track.step = 0;
    for (int i = 0; i < 200000; ++i) {
        MemoryPoint p{i * 0.1, {}};
        p.ledger[Category::Activations] = (1 + i % 97) * kMiB;
        track.points.push_back(p);
    }
    track.points[123457].ledger[Category::Workspace] = 5 * kGiB;
    const ChartScene scene = sceneOf({}, track, QSizeF(300, 200));
    EXPECT_LE(scene.columns.size(), 300U * 4 + 2);
    double most = 0;
    for (const Column& column : scene.columns) {
        most = std::max(most, column.tops.back());
    }
    EXPECT_EQ(most, highestTotal(track));
}

TEST(MemoryScene, TheAxisShowsTheBudgetAndNamesWhatIsTooFar) {
    const MemoryTrack track = trackOf(sampleStep());
    RunShape run = sampleShape();  // budget 2.2 GiB, device 12 GiB, data 1.87 GiB
    ChartScene scene = sceneOf(run, track);
    ASSERT_EQ(scene.lines.size(), 1U) << "a device far away has no line";
    EXPECT_EQ(scene.lines[0].label, "budget 2.20 GiB");
    EXPECT_TRUE(scene.lines[0].dashed);
    EXPECT_FALSE(scene.lines[0].outside);
    EXPECT_EQ(scene.lines[0].color, theme().bad);
    EXPECT_GT(scene.upper, static_cast<double>(*run.budget));

    run.capacity = 3 * kGiB;
    scene = sceneOf(run, track);
    ASSERT_EQ(scene.lines.size(), 2U);
    EXPECT_EQ(scene.lines[1].label, "device 3.00 GiB");
    EXPECT_GT(scene.upper, static_cast<double>(run.capacity));

    run.budget = 500 * kGiB;
    run.capacity = 0;
    scene = sceneOf(run, track);
    ASSERT_EQ(scene.lines.size(), 1U);
    EXPECT_TRUE(scene.lines[0].outside);
    EXPECT_LT(scene.upper, highestTotal(track) * 1.5) << "the data is not squashed";

    run.budget.reset();
    EXPECT_TRUE(sceneOf(run, track).lines.empty());
}

TEST(MemoryScene, PhasesAreRegionsWithLabels) {
    const MemoryTrack track = trackOf(sampleStep());
    const ChartScene scene = sceneOf(sampleShape(), track);
    ASSERT_EQ(scene.regions.size(), 4U);
    EXPECT_EQ(scene.regions[1].color, theme().phase[1]);
    EXPECT_EQ(scene.regions.back().to, track.end());
    ASSERT_EQ(scene.labels.size(), 4U);
    EXPECT_EQ(scene.labels[1].text, "forward");
    EXPECT_EQ(scene.labels[2].text, "backward");
    EXPECT_EQ(scene.separators.size(), 3U);
}

TEST(MemoryScene, AlternatingRecomputeAndBackwardShareALabelWhereNarrow) {
    const MemoryTrack track = trackOf(sampleStep(true));
    const auto texts = [&](QSizeF plot) {
        QStringList out;
        for (const RegionLabel& label : sceneOf(sampleShape(), track, plot).labels) {
            out << label.text;
        }
        return out;
    };
    EXPECT_EQ(texts(QSizeF(400, 200)),
              QStringList({"data", "forward", "recompute and backward", "optimizer"}));
    EXPECT_EQ(texts(QSizeF(9000, 200)).count("recompute"), 4);
}

TEST(MemoryScene, MarksThePeakOrTheRefusal) {
    MemoryTrack track = trackOf(sampleStep());
    ChartScene scene = sceneOf(sampleShape(), track);
    ASSERT_EQ(scene.markers.size(), 1U);
    EXPECT_EQ(scene.markers[0].kind, MarkerKind::Peak);
    EXPECT_EQ(scene.markers[0].y, highestTotal(track));
    track.refusal = Refusal{kGiB + 205 * kMiB, 29, 3, 9, track.points.back().ledger};
    track.refusedAt = track.points.back().ms;
    scene = sceneOf(sampleShape(), track);
    ASSERT_EQ(scene.markers.size(), 1U);
    EXPECT_EQ(scene.markers[0].kind, MarkerKind::Refused);
    EXPECT_EQ(scene.markers[0].label, "refused 1.20 GiB here");
    EXPECT_EQ(scene.markers[0].x, track.points.back().ms);
    EXPECT_EQ(scene.markers[0].y + scene.markers[0].above,
              static_cast<double>(track.refusal->ledger.total() + track.refusal->requested));
    EXPECT_GT(scene.upper, scene.markers[0].y + scene.markers[0].above) << "what was asked for can be seen";
}

TEST(MemoryScene, OnePointAndHugeValuesStandUp) {
    MemoryTrack track;
    track.step = 0;
    MemoryPoint p{3, {}};
    p.ledger[Category::Activations] = 700LL * 1024 * kGiB;
    track.points = {p};
    const ChartScene scene = sceneOf({}, track);
    ASSERT_EQ(scene.columns.size(), 1U);
    EXPECT_GT(scene.to, scene.from);
    EXPECT_EQ(scene.y.unit, "TiB");
    EXPECT_GT(scene.upper, static_cast<double>(p.ledger.total()));
    track.points[0].ledger = {};
    EXPECT_GT(sceneOf({}, track).upper, 0);
}

TEST(MemoryCard, NamesTimeTotalLayerAndEveryCategory) {
    const MemoryTrack track = trackOf(sampleStep());
    const PhaseSpan* span = spanAt(track.spans, 100);
    ASSERT_NE(span, nullptr);
    const HoverCard card = memoryCard(sampleShape(), track, 100);
    const Ledger& ledger = pointAt(track.points, 100)->ledger;
    EXPECT_EQ(card.title, "100 ms · " + bytesText(ledger.total()));
    EXPECT_EQ(card.note, sampleShape().where(span->phase, span->layer));
    EXPECT_TRUE(card.note.startsWith("backward of layer ")) << card.note.toStdString();
    const auto held = std::count_if(ledger.bytes.begin(), ledger.bytes.end(), [](auto b) { return b != 0; });
    EXPECT_EQ(static_cast<long>(card.rows.size()), held);
    EXPECT_EQ(card.rows.back().name, "input") << "the card reads as the stack: top first";
    EXPECT_TRUE(memoryCard({}, {}, 1).empty());
}

TEST(MemoryNote, SaysStepPeakAndPlace) {
    MemoryTrack track = trackOf(sampleStep());
    track.peak = PeakInfo{{}, 90, 3, 9};
    track.peak->ledger[Category::Activations] = 2 * kGiB;
    EXPECT_EQ(memoryNote(sampleShape(), track), "step 27 of 40 · peak 2.00 GiB in backward of layer 10 conv");
    track.step = 0;
    track.peak->layer = -1;
    track.peak->phase = 4;
    EXPECT_EQ(memoryNote(sampleShape(), track), "warm-up 1 of 3 · peak 2.00 GiB in optimizer");
    EXPECT_EQ(memoryNote({}, {}), "");
}

TEST(StepsScene, BarsStackTheirPhases) {
    const RunShape run = sampleShape();
    const std::vector<StepBar> bars = sampleBars(3, 20);
    const StepRange view = fullStepRange(run, 20);
    const auto groups = groupSteps(run, bars, view.from, view.to, 1);
    ASSERT_EQ(groups.size(), 20U);
    const ChartScene scene = timeScene(run, groups, 1, view, kPlot);
    for (std::size_t i = 0; i < 20; ++i) {
        const double sum = bars[i].phaseMs[0] + bars[i].phaseMs[1] + bars[i].phaseMs[2] + bars[i].phaseMs[3] +
                           bars[i].phaseMs[4];
        EXPECT_NEAR(scene.columns[i].tops[4], sum, 1e-9);
        EXPECT_EQ(scene.columns[i].faded, i < 3);
        EXPECT_EQ(scene.columns[i].from, static_cast<double>(i) - 2.5);
        EXPECT_LE(sum, scene.upper);
    }
    const ChartScene peaks = peakScene(run, groups, 1, std::nullopt, view, kPlot);
    EXPECT_EQ(peaks.columns[7].tops.back(), static_cast<double>(bars[7].peak.total()));
    EXPECT_EQ(peaks.from, scene.from);
    EXPECT_EQ(peaks.to, scene.to);
}

TEST(StepsScene, MergedBarsAverageTimeAndKeepTheHighestPeak) {
    RunShape run = sampleShape(0, 1000);
    std::vector<StepBar> bars = sampleBars(0, 1000);
    bars[505].peak[Category::Workspace] = 40 * kGiB;
    const auto groups = groupSteps(run, bars, 0.5, 1000.5, 8);
    ASSERT_EQ(groups.size(), 125U);
    double most = 0, ms = 0, all = 0;
    for (const StepGroup& g : groups) {
        most = std::max(most, static_cast<double>(g.highest->peak.total()));
        ms += g.meanMs[1] * (g.last - g.first + 1);
    }
    for (const StepBar& bar : bars) {
        all += bar.phaseMs[1];
    }
    EXPECT_EQ(most, static_cast<double>(bars[505].peak.total()));
    EXPECT_NEAR(ms, all, 1e-6);
}

TEST(StepsScene, AMixedBarCountsOnlyMeasuredStepsAndTheViewsEdgeCutsNoBar) {
    const RunShape run = sampleShape(3, 100);
    const std::vector<StepBar> bars = sampleBars(3, 103);
    const auto groups = groupSteps(run, bars, -3, 200, 4);
    EXPECT_FALSE(groups[0].warmup);
    EXPECT_DOUBLE_EQ(groups[0].meanMs[1], bars[3].phaseMs[1]);
    const auto part = groupSteps(run, bars, 7.2, 20, 4);  // in the middle of indices 8..11
    EXPECT_EQ(part.front().first, 8);
    EXPECT_DOUBLE_EQ(part.front().meanMs[1], groups[2].meanMs[1]);
}

TEST(StepsScene, ASlowWarmupIsCutOffAndSaid) {
    const RunShape run = sampleShape();
    std::vector<StepBar> bars = sampleBars(3, 20);
    bars[0].phaseMs[1] = 9000;
    const StepRange view = fullStepRange(run, 20);
    const ChartScene scene = timeScene(run, groupSteps(run, bars, view.from, view.to, 1), 1, view, kPlot);
    EXPECT_LT(scene.upper, 400);
    ASSERT_EQ(scene.markers.size(), 1U);
    EXPECT_EQ(scene.markers[0].kind, MarkerKind::Clipped);
    EXPECT_EQ(scene.markers[0].x, -2);
}

TEST(StepsScene, CardsNameStepWarmupAndParts) {
    const RunShape run = sampleShape();
    const std::vector<StepBar> bars = sampleBars(3, 20);
    const auto groups = groupSteps(run, bars, -3, 50, 1);
    HoverCard card = timeCard(run, groups, -2.1);
    EXPECT_TRUE(card.title.startsWith("warm-up 1 of 3 · ")) << card.title.toStdString();
    EXPECT_EQ(card.note, "warm-up: not counted in the results");
    card = peakCard(run, groups, 5.3);
    EXPECT_TRUE(card.title.startsWith("step 5 of 40 · "));
    EXPECT_EQ(card.x, 5);
    card = timeCard(run, groupSteps(run, bars, -3, 50, 4), 4);
    EXPECT_TRUE(card.title.startsWith("steps 2–5 · mean ")) << card.title.toStdString();
    EXPECT_TRUE(timeCard(run, {}, 4).empty());
}

TEST(StepsScene, TheAxisOfALongRunGrowsByDoubling) {
    EXPECT_EQ(fullStepRange(sampleShape(3, 40), 1).to, 40.5);
    EXPECT_EQ(fullStepRange(sampleShape(0, 10000), 1).to, 60.5);
    EXPECT_EQ(fullStepRange(sampleShape(0, 10000), 61).to, 120.5);
    EXPECT_EQ(fullStepRange(sampleShape(0, 10000), 9999).to, 10000.5);
    EXPECT_EQ(fullStepRange(sampleShape(0, 5), 9).to, 9.5) << "more steps than planned";
    EXPECT_GT(fullStepRange({}, 0).to, fullStepRange({}, 0).from);
}

TEST(FitView, StaysWithinTheWhole) {
    const auto is = [](const std::optional<StepRange>& got, double from, double to) {
        return got && std::abs(got->from - from) < 1e-9 && std::abs(got->to - to) < 1e-9;
    };
    const StepRange whole{0, 100};
    EXPECT_TRUE(is(fitView(20, 30, whole, 1), 20, 30));
    EXPECT_TRUE(is(fitView(-20, 30, whole, 1), 0, 50));
    EXPECT_TRUE(is(fitView(150, 160, whole, 1), 90, 100));
    EXPECT_TRUE(is(fitView(40, 40, whole, 10), 35, 45));
    EXPECT_FALSE(fitView(-5, 200, whole, 1));
    EXPECT_FALSE(fitView(0, std::nan(""), whole, 1));
}

TEST(SummaryNote, RoundsAsEveryTimeIsRounded) {
    EXPECT_EQ(summaryNote({204.1, 203.4, 204.8, 27}, 9.8),
              "204 ms per step (203 ms to 205 ms) · 9.8 samples/s · n = 27");
    EXPECT_EQ(summaryNote({31204, 31010, 31500, 5}, 0.064, "predicted 29 s"),
              "31.2 s per step (31.0 s to 31.5 s), predicted 29 s · 0.064 samples/s · n = 5");
    EXPECT_EQ(summaryNote({0.4214, 0.42, 0.43, 9}, 4745),
              "0.42 ms per step (0.42 ms to 0.43 ms) · 4.75 k samples/s · n = 9");
    EXPECT_EQ(summaryNote({}, 0), "");
    EXPECT_EQ(summaryNote({}, 0, "predicted 29 s"), "predicted 29 s");
}

}  // namespace
}  // namespace highwater::widgets
