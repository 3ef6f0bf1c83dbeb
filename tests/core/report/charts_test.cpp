#include "core/report/charts.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <limits>
#include <set>

#include "tests/core/report/markup.h"
#include "tests/core/report/sample.h"

namespace highwater::report {
namespace {

using memory::Category;
using testing::HasSubstr;
using testing::Not;

constexpr double kGrain = 0.126;  // coordinates are rounded to 1/8 pixel

Rgb of(Category c) {
    return kLight.category[static_cast<std::size_t>(c)];
}

StackedMemory twoLevels() {
    StackedMemory m;
    memory::Ledger first, second;
    first[Category::Parameters] = 100 * base::kMiB;
    first[Category::Activations] = 50 * base::kMiB;
    second[Category::Parameters] = 100 * base::kMiB;
    second[Category::Activations] = 300 * base::kMiB;
    m.ledgers = {{0, first}, {40, second}};
    m.end = 100;
    return m;
}

TEST(MemoryChart, AreasLieWhereTheirBytesSay) {
    const StackedMemory m = twoLevels();
    const PlotArea area = memoryPlotArea(m);
    const std::string text = svg(memoryChart(m));
    const auto areas = filledPaths(text, of(Category::Activations));
    ASSERT_FALSE(areas.empty());
    const auto& edge = areas.front();
    ASSERT_GE(edge.size(), 6u);
    EXPECT_NEAR(edge[0].x, area.xOf(0), kGrain);
    EXPECT_NEAR(edge[0].y, area.yOf(150.0 * base::kMiB), kGrain);
    EXPECT_NEAR(edge[1].x, area.xOf(40), kGrain) << "the first level holds until the second begins";
    EXPECT_NEAR(edge[1].y, area.yOf(150.0 * base::kMiB), kGrain);
    EXPECT_NEAR(edge[2].x, area.xOf(40), kGrain);
    EXPECT_NEAR(edge[2].y, area.yOf(400.0 * base::kMiB), kGrain);
    EXPECT_NEAR(edge[3].x, area.xOf(100), kGrain);
    for (std::size_t i = 4; i < edge.size(); ++i) {
        EXPECT_NEAR(edge[i].y,
                    i + 1 < edge.size() || edge.size() == 6 ? area.yOf(100.0 * base::kMiB) : edge[0].y,
                    kGrain)
            << "activations stand on the parameters";
    }
}

TEST(MemoryChart, APretendedRunsTimelineIsDrawnToItsEnd) {
    const runs::RunRecord run = pretendedRun();
    const StackedMemory m = stepMemory(factsOf(run));
    ASSERT_FALSE(m.ledgers.empty());
    EXPECT_DOUBLE_EQ(m.end, m.ledgers.back().from) << "the step itself has no time";
    ASSERT_TRUE(m.peak);
    EXPECT_GT(m.peak->at, 0);
    const PlotArea area = memoryPlotArea(m);
    const std::string text = svg(memoryChart(m));
    double left = area.xOf(m.end), right = 0;
    for (const Category c : {Category::Parameters, Category::Activations, Category::Temporaries}) {
        for (const auto& path : filledPaths(text, of(c))) {
            for (const auto& point : path) {
                left = std::min(left, point.x);
                right = std::max(right, point.x);
            }
        }
    }
    EXPECT_NEAR(left, area.xOf(0), kGrain);
    EXPECT_NEAR(right, area.xOf(m.end), kGrain) << "no further than the plot, and no less";
}

TEST(MemoryChart, CategoriesWithoutBytesAreNotDrawn) {
    EXPECT_TRUE(filledPaths(svg(memoryChart(twoLevels())), of(Category::Gradients)).empty());
}

TEST(MemoryChart, TheBudgetIsInThePlotWhereItIsNear) {
    StackedMemory m = twoLevels();
    const double without = memoryPlotArea(m).yHigh;
    m.budget = 700 * base::kMiB;
    EXPECT_GE(memoryPlotArea(m).yHigh, 700.0 * base::kMiB);
    m.budget = 700 * base::kGiB;
    EXPECT_DOUBLE_EQ(memoryPlotArea(m).yHigh, without) << "a far budget must not flatten the plot";
}

TEST(MemoryChart, ALongSeriesKeepsItsOneSpike) {
    StackedMemory m;
    memory::Ledger low, spike;
    low[Category::Activations] = 10 * base::kMiB;
    spike[Category::Activations] = 90 * base::kMiB;
    for (int i = 0; i < 100'000; ++i) {
        m.ledgers.push_back({static_cast<double>(i), i == 77'777 ? spike : low});
    }
    m.end = 100'000;
    const double top = memoryPlotArea(m).yOf(90.0 * base::kMiB);
    const std::string text = svg(memoryChart(m));
    EXPECT_LT(text.size(), 200'000u);
    const auto areas = filledPaths(text, of(Category::Activations));
    ASSERT_FALSE(areas.empty());
    EXPECT_TRUE(std::any_of(areas[0].begin(), areas[0].end(),
                            [top](const PathPoint& p) { return std::abs(p.y - top) <= kGrain; }));
}

TEST(MemoryChart, OfARunShowsTheStepWithTheHighestPeak) {
    runs::RunRecord run = sampleRun(6);
    for (wire::Event& event : run.events) {
        if (auto* step = std::get_if<wire::StepDone>(&event); step && step->index == 2) {
            step->peak.ledger[Category::Workspace] += base::kGiB;
        }
    }
    const Facts facts = factsOf(run);
    ASSERT_NE(facts.shown, nullptr);
    EXPECT_EQ(facts.shown->index, 2);
    const StackedMemory memory = stepMemory(facts);
    EXPECT_EQ(memory.peak->bytes, facts.shown->peak.ledger.total());
    EXPECT_THAT(memory.title, HasSubstr("warm-up 3"));
    EXPECT_EQ(memory.budget, 2 * base::kGiB);
}

TEST(MemoryChart, OfAFailureEndsAtWhatWasAskedFor) {
    const runs::RunRecord run = failedRun();
    const StackedMemory memory = failureMemory(factsOf(run));
    ASSERT_TRUE(memory.peak);
    EXPECT_EQ(memory.peak->bytes, run.result.failure->ledger.total() + run.result.failure->requested);
    EXPECT_DOUBLE_EQ(memory.ledgers.front().from, 0) << "time counts from the step's start";
    EXPECT_EQ(memory.ledgers.back().ledger, run.result.failure->ledger);
}

TEST(PhasesChart, BarsAreAsHighAsTheirTimes) {
    runs::RunRecord run;
    wire::StepDone step;
    step.phases = {.data = 10, .forward = 40, .recompute = 0, .backward = 50, .optimizer = 0};
    run.events = {step};
    const std::string text = svg(phasesChart(factsOf(run)));
    const auto height = [&text](std::size_t phase) {
        const auto paths = filledPaths(text, kLight.phase[phase]);
        if (paths.empty()) {
            return 0.0;
        }
        const auto [low, high] =
            std::minmax_element(paths[0].begin(), paths[0].end(), [](auto& a, auto& b) { return a.y < b.y; });
        return high->y - low->y;
    };
    EXPECT_GT(height(0), 10);
    EXPECT_NEAR(height(1) / height(0), 4, 0.06);
    EXPECT_NEAR(height(3) / height(0), 5, 0.06);
    EXPECT_EQ(height(2), 0);
}

TEST(PhasesChart, ManyStepsAreGroupedAndSaidToBe) {
    const runs::RunRecord run = sampleRun(10'000);
    const std::string text = svg(phasesChart(factsOf(run)));
    EXPECT_LE(filledPaths(text, kLight.phase[1]).size(), 181u);
    EXPECT_LT(text.size(), 400'000u);
}

TEST(LayersChart, BarsAreAsLongAsTheirBytesAndBlocksAreNotCountedTwice) {
    const runs::RunRecord run = sampleRun(4);
    const auto bars = filledPaths(svg(layersChart(factsOf(run))), of(Category::Activations));
    // A swatch, then a bar for each layer that keeps bytes: 12 rows minus a block and three without bytes.
    ASSERT_EQ(bars.size(), 1u + 8u);
    const auto width = [&bars](std::size_t i) { return bars[i][1].x - bars[i][0].x; };
    EXPECT_NEAR(width(6) / width(1), 2, 0.01) << "concat keeps 480 MiB, the first conv 240";
}

TEST(LayersChart, ManyLayersKeepTheLargest) {
    runs::RunRecord run = sampleRun(4);
    for (int i = 0; i < 500; ++i) {
        run.result.layers.push_back({"l" + std::to_string(i), "conv", {1, 1, 4}, 1, i, 1, 1});
    }
    const Chart chart = layersChart(factsOf(run));
    EXPECT_LT(chart.height, 1300);
    EXPECT_LE(filledPaths(svg(chart), of(Category::Activations)).size(), 61u);
}

TEST(Charts, AreWellFormedForEveryKindOfRun) {
    for (const runs::RunRecord& run :
         {sampleRun(0), sampleRun(1), sampleRun(30), failedRun(), runs::RunRecord{}}) {
        const Facts facts = factsOf(run);
        for (const Chart& chart : {memoryChart(stepMemory(facts)), memoryChart(peaksOverSteps(facts)),
                                   memoryChart(failureMemory(facts)), phasesChart(facts), layersChart(facts),
                                   lossChart(facts), runPeaksChart({facts})}) {
            EXPECT_EQ(xmlFault(svg(chart)), "") << chart.title;
            EXPECT_EQ(xmlFault(inlineSvg(chart, "x")), "") << chart.title;
        }
    }
}

TEST(Charts, BadNumbersAreLeftOut) {
    runs::RunRecord run = sampleRun(5);
    for (wire::Event& event : run.events) {
        if (auto* step = std::get_if<wire::StepDone>(&event)) {
            step->loss = step->index == 2 ? std::numeric_limits<double>::quiet_NaN()
                                          : std::numeric_limits<double>::infinity();
            step->phases.forward = std::numeric_limits<double>::quiet_NaN();
        }
    }
    for (const Chart& chart : {lossChart(factsOf(run)), phasesChart(factsOf(run))}) {
        const std::string text = svg(chart);
        EXPECT_THAT(text, Not(HasSubstr("nan")));
        EXPECT_THAT(text, Not(HasSubstr("inf")));
    }
}

TEST(Charts, InlineSvgKeepsToItself) {
    const runs::RunRecord run = sampleRun(5);
    const Chart chart = memoryChart(stepMemory(factsOf(run)));
    const std::string a = inlineSvg(chart, "aa"), b = inlineSvg(chart, "bb");
    const auto ids = attributeValues(a, "id");
    EXPECT_GT(ids.size(), 5u);
    for (const std::string& id : ids) {
        EXPECT_EQ(id.substr(0, 2), "aa");
    }
    const std::set<std::string> known(ids.begin(), ids.end());
    for (const std::string& link : attributeValues(a, "href")) {
        EXPECT_TRUE(known.count(link.substr(1))) << link;
    }
    EXPECT_THAT(a, Not(HasSubstr("rgb("))) << "every color follows light and dark";
    EXPECT_THAT(a, Not(HasSubstr("fill:#")));
    EXPECT_THAT(a, HasSubstr(cssColor(of(Category::Activations))));
    EXPECT_EQ(a.size(), b.size());
}

TEST(Charts, PngIsTheSameDrawingAtTheAskedSize) {
    const runs::RunRecord run = sampleRun(5);
    const Chart chart = memoryChart(stepMemory(factsOf(run)));
    const std::string bytes = png(chart, kDark, 2);
    ASSERT_GT(bytes.size(), 1000u);
    EXPECT_EQ(bytes.substr(1, 3), "PNG");
    const auto big = [&bytes](std::size_t at) {
        return static_cast<unsigned char>(bytes[at]) << 24 | static_cast<unsigned char>(bytes[at + 1]) << 16 |
               static_cast<unsigned char>(bytes[at + 2]) << 8 | static_cast<unsigned char>(bytes[at + 3]);
    };
    EXPECT_EQ(big(16), static_cast<int>(chart.width * 2));
    EXPECT_EQ(big(20), static_cast<int>(chart.height * 2));
}

TEST(Colors, AllOfAPaletteDiffer) {
    for (const Palette& p : {kLight, kDark}) {
        std::multiset<Rgb> all = {p.paper,  p.panel, p.text,    p.muted, p.grid,
                                  p.accent, p.good,  p.warning, p.bad};
        all.insert(p.category.begin(), p.category.end());
        all.insert(p.phase.begin(), p.phase.end());
        all.insert(p.device.begin(), p.device.end());
        all.insert(p.series.begin(), p.series.end());
        EXPECT_EQ(all.size(), std::set<Rgb>(all.begin(), all.end()).size());
    }
}

}  // namespace
}  // namespace highwater::report
