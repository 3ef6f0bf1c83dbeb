#include "widgets/plot/forecast.h"

#include <gtest/gtest.h>

#include "tests/widgets/plot/sample_run.h"
#include "widgets/plot/growth_plot.h"

namespace highwater::widgets {
namespace {

ForecastPoint point(double ms, int phase, int layer, base::Bytes mib) {
    ForecastPoint p;
    p.ms = ms;
    p.phase = phase;
    p.layer = layer;
    p.ledger[memory::Category::Activations] = mib * kMiB;
    p.low = p.high = mib * kMiB;
    return p;
}

MemoryTrack measured(std::vector<PhaseSpan> spans, double end) {
    MemoryTrack track;
    track.step = 0;
    track.spans = std::move(spans);
    track.points = {{0, {}}, {end, {}}};
    return track;
}

TEST(Forecast, PointsTakeThePlaceOfTheirPhaseAndLayer) {
    Forecast f;
    f.points = {point(0, 1, 0, 1), point(1, 1, 0, 2), point(2, 1, 1, 3), point(4, 3, 1, 4),
                point(6, 3, 0, 5)};
    f.stepMs = 8;
    const auto track = measured({{0, 0, -1}, {10, 1, 0}, {30, 1, 1}, {40, 3, 1}, {80, 3, 0}}, 100);
    const auto outline = alignForecast(f, track);
    ASSERT_EQ(outline.size(), 5u);
    EXPECT_DOUBLE_EQ(outline[0].x, 10);
    EXPECT_DOUBLE_EQ(outline[1].x, 20) << "half-way through its stretch";
    EXPECT_DOUBLE_EQ(outline[2].x, 30);
    EXPECT_DOUBLE_EQ(outline[3].x, 40);
    EXPECT_DOUBLE_EQ(outline[4].x, 80);
    EXPECT_DOUBLE_EQ(outline[4].y, 5.0 * kMiB);
}

TEST(Forecast, StretchesWithoutAPartnerLieBetweenTheirNeighbors) {
    Forecast f;
    f.points = {point(0, 1, 0, 1), point(1, 2, 0, 2), point(2, 2, 1, 2), point(3, 3, 0, 3)};
    f.stepMs = 4;
    const auto outline = alignForecast(f, measured({{0, 1, 0}, {10, 3, 7}, {30, 3, 0}}, 50));
    ASSERT_EQ(outline.size(), 4u);
    EXPECT_DOUBLE_EQ(outline[1].x, 10);
    EXPECT_DOUBLE_EQ(outline[2].x, 20) << "they share what the measured step has there";
    EXPECT_DOUBLE_EQ(outline[3].x, 30);
}

TEST(Forecast, OneWithoutLayersIsPairedByItsPhases) {
    Forecast f;
    f.points = {point(0, 1, -1, 1), point(1, 1, -1, 2), point(2, 3, -1, 3)};
    f.stepMs = 4;
    const auto outline = alignForecast(f, measured({{0, 1, 0}, {10, 1, 1}, {20, 3, 1}, {40, 3, 0}}, 60));
    ASSERT_EQ(outline.size(), 3u);
    EXPECT_DOUBLE_EQ(outline[1].x, 10);
    EXPECT_DOUBLE_EQ(outline[2].x, 20) << "the backward pass, whatever its layers are";
}

TEST(Forecast, ALegendNamesARunThatLiesOverTheStep) {
    MemoryTrack track = measured({{0, 1, 0}}, 50);
    track.outline = {{0, 1, 1, 1}};
    EXPECT_EQ(memoryLegend(track).back().name, QString("predicted"));
    track.outlineName = "pretended, run #12";
    EXPECT_EQ(memoryLegend(track).back().name, QString("pretended, run #12"));
    RunShape run;
    QStringList rows;
    for (const HoverCard::Row& row : memoryCard(run, track, 10).rows) {
        rows << row.name;
    }
    EXPECT_EQ(rows, QStringList({"pretended, run #12", "measured − pretended"}));
}

TEST(Forecast, WhatIsExactIsNotCalledAnEstimate) {
    Forecast f;
    f.device = "this CPU";
    EXPECT_EQ(forecastNote(f), QString("predicted (estimate) for this CPU"));
    f.exact = true;
    EXPECT_EQ(forecastNote(f), QString("predicted (memory exact) for this CPU"));
}

TEST(Forecast, ARepeatedStretchIsPairedInOrder) {
    Forecast f;  // the second micro batch goes forward through layer 0 again
    f.points = {point(0, 1, 0, 1), point(1, 3, 0, 2), point(2, 1, 0, 3), point(3, 3, 0, 4)};
    const auto outline = alignForecast(f, measured({{0, 1, 0}, {5, 3, 0}, {10, 1, 0}, {15, 3, 0}}, 20));
    ASSERT_EQ(outline.size(), 4u);
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_DOUBLE_EQ(outline[i].x, 5.0 * static_cast<double>(i));
    }
}

TEST(Forecast, WithoutTimesPointsAreSpreadEvenly) {
    Forecast f;
    f.points = {point(0, 1, 0, 1), point(0, 1, 0, 2), point(0, 1, 0, 3), point(0, 1, 0, 4)};
    const auto outline = alignForecast(f, measured({{10, 1, 0}}, 50));
    ASSERT_EQ(outline.size(), 4u);
    EXPECT_DOUBLE_EQ(outline[1].x, 20);
    EXPECT_DOUBLE_EQ(outline[3].x, 40);
}

TEST(Forecast, AnotherStackOrNoPhasesIsNoCrash) {
    Forecast f;
    f.points = {point(0, 1, 5, 1), point(1, 3, 9, 2)};
    EXPECT_TRUE(alignForecast(f, measured({}, 50)).empty());
    const auto outline = alignForecast(f, measured({{0, 1, 0}, {20, 3, 0}}, 50));
    ASSERT_EQ(outline.size(), 2u);
    EXPECT_TRUE(std::is_sorted(outline.begin(), outline.end(),
                               [](const auto& a, const auto& b) { return a.x < b.x; }));
    EXPECT_TRUE(alignForecast({}, measured({{0, 1, 0}}, 50)).empty());
}

TEST(Forecast, TheCardSaysWhatWasMissed) {
    MemoryTrack track = measured({{0, 1, 0}}, 50);
    for (MemoryPoint& p : track.points) {
        p.ledger[memory::Category::Activations] = 110 * kMiB;
    }
    track.outline = {{0, 90.0 * kMiB, 100.0 * kMiB, 120.0 * kMiB}};
    const HoverCard card = memoryCard({}, track, 10);
    ASSERT_EQ(card.rows.size(), 4u);
    EXPECT_EQ(card.rows[1].value, "90.0 MiB to 120 MiB");
    EXPECT_EQ(card.rows[2].value, "100 MiB");
    EXPECT_EQ(card.rows[3].value, "+10.0 MiB (10.0 %)");
    track.outline = {{0, 110.0 * kMiB, 110.0 * kMiB, 110.0 * kMiB}};
    EXPECT_EQ(memoryCard({}, track, 10).rows.back().value, "none");
}

TEST(Forecast, AloneItHasPhasesAPeakAndALegendOfItsOwn) {
    Forecast f;
    f.device = "NVIDIA T4";
    f.layerNames = {"1 conv"};
    f.points = {point(0, 1, 0, 1), point(1, 3, 0, 9), point(3, 3, 0, 2)};
    f.peak = {f.points[1].ledger, 1, 3, 0};
    f.peakLow = 8 * kMiB;
    f.peakHigh = 10 * kMiB;
    const MemoryTrack track = forecastTrack(f);
    EXPECT_EQ(track.spans.size(), 2u);
    EXPECT_TRUE(track.predicted);
    EXPECT_EQ(forecastNote(f),
              QStringLiteral("predicted (estimate) for NVIDIA T4 · peak 9.00 MiB (8.00 MiB to "
                             "10.0 MiB) in backward of layer 1 conv"));
    const auto legend = memoryLegend(track);
    ASSERT_EQ(legend.size(), 2u);
    EXPECT_TRUE(legend.back().line);
    EXPECT_EQ(legend.back().name, "predicted");
    const ChartScene scene = memoryScene(forecastShape(f), track, 0, 3, {400, 200}, QFontMetricsF(QFont()));
    ASSERT_EQ(scene.outlines.size(), 1u);
    EXPECT_NE(scene.series[4].color, categoryStyles()[4].color) << "what is not measured is paler";
}

TEST(Growth, ShowsBandJumpsCapacityAndTheCurrentValue) {
    GrowthCurve curve;
    curve.axis = "width";
    curve.from = 64;
    curve.to = 128;
    curve.capacity = 8 * kGiB;
    for (int i = 0; i <= 8; ++i) {
        GrowthPoint p;
        p.value = 64 + 8 * i;
        p.expected = (i < 5 ? i + 1 : 2 * i) * kGiB;
        p.low = p.expected - kMiB;
        p.high = p.expected + kMiB;
        p.fits = p.high < curve.capacity ? predict::Fits::Yes : predict::Fits::No;
        curve.points.push_back(p);
    }
    curve.jumps = {104};
    curve.current = 72;
    const ChartScene scene = growthScene(curve, {64, 128}, {600, 300});
    ASSERT_EQ(scene.outlines.size(), 1u);
    EXPECT_EQ(scene.outlines[0].points.size(), 9u);
    ASSERT_EQ(scene.regions.size(), 2u);
    EXPECT_DOUBLE_EQ(scene.regions[0].to, 100) << "half-way between the last that fits and the next";
    EXPECT_EQ(scene.labels[1].text, "does not fit");
    ASSERT_EQ(scene.markers.size(), 2u);
    EXPECT_EQ(scene.markers[0].kind, MarkerKind::Jump);
    EXPECT_DOUBLE_EQ(scene.markers[0].x, 104);
    EXPECT_EQ(scene.markers[1].kind, MarkerKind::Now);
    ASSERT_EQ(scene.lines.size(), 1u);
    EXPECT_EQ(growthCard(curve, 90).x, 88);
    EXPECT_TRUE(growthCard(curve, 90).title.startsWith("width 88"));
    EXPECT_TRUE(growthCard({}, 90).empty());
}

TEST(ForecastText, SaysHowLongARunTakesWhereThatIsOverAMinute) {
    Forecast forecast;
    EXPECT_EQ(forecastTimeText(forecast), "");
    forecast.stepLow = 4e3;
    forecast.stepMs = 5e3;
    forecast.stepHigh = 6e3;
    const QString step = forecastTimeText(forecast);
    EXPECT_TRUE(step.startsWith("Predicted: 5.00 s per step")) << step.toStdString();
    forecast.steps = 10;
    EXPECT_EQ(forecastTimeText(forecast), step);
    forecast.steps = 43;
    EXPECT_EQ(forecastTimeText(forecast), step + QStringLiteral(" · about 4 min for the 43 steps of a run"));
}

}  // namespace
}  // namespace highwater::widgets
