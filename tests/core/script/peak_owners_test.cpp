#include "core/script/peak_owners.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "core/script/where.h"

namespace highwater::script {
namespace {

using memory::Category;
using memory::Phase;
using memory::TraceEvent;
using Kind = memory::TraceEvent::Kind;

/// Two steps. A parameter of 100 is alive from the start. Each step: 200 and 300 in forward, 400 in backward
/// after the 200 have been freed; in the second step the 400 are 500.
memory::Trace twoSteps() {
    memory::Trace trace;
    trace.layers = {"encoder", "decoder"};
    trace.labels = {"train.py:5 forward", "train.py:9 backward"};
    trace.blocks = {{100, 100, -1, -1}};
    trace.alive = {{0, Category::Parameters, 0}};
    std::int64_t time = 0;
    const auto add = [&](Kind kind, std::uint32_t block, Category category, std::int16_t layer, Phase phase) {
        trace.events.push_back({time += 1'000'000, block, layer, kind, category, phase});
    };
    for (const base::Bytes last : {400, 500}) {
        trace.steps.push_back({trace.events.size(), static_cast<int>(trace.steps.size())});
        const auto first = static_cast<std::uint32_t>(trace.blocks.size());
        trace.blocks.insert(trace.blocks.end(), {{200, 200, 0, -1}, {300, 300, 0, -1}, {last, last, 1, -1}});
        add(Kind::Allocate, first, Category::Activations, 0, Phase::Forward);
        add(Kind::Allocate, first + 1, Category::Activations, 1, Phase::Forward);
        add(Kind::Free, first, Category::Activations, 0, Phase::Backward);
        add(Kind::Allocate, first + 2, Category::Temporaries, -1, Phase::Backward);
        add(Kind::Free, first + 2, Category::Temporaries, -1, Phase::Backward);
        add(Kind::Free, first + 1, Category::Activations, 1, Phase::Backward);
    }
    trace.allEvents = static_cast<std::int64_t>(trace.events.size());
    EXPECT_TRUE(memory::check(trace));
    return trace;
}

TEST(PeakOwners, AreTheLivingBlocksByModuleAndByLine) {
    const memory::Trace trace = twoSteps();
    const PeakOwners found = peakOwners(trace, memory::findPeak(trace), 10);
    EXPECT_THAT(found.modules, ::testing::ElementsAre(PeakOwner{"", 500, 1}, PeakOwner{"decoder", 300, 1},
                                                      PeakOwner{"encoder", 100, 1}));
    EXPECT_THAT(found.lines,
                ::testing::ElementsAre(PeakOwner{"train.py:9 backward", 500, 1},
                                       PeakOwner{"train.py:5 forward", 300, 1}, PeakOwner{"", 100, 1}));
    EXPECT_EQ(found.step, 1);
    EXPECT_EQ(found.phase, Phase::Backward);
    EXPECT_EQ(found.line, "train.py:9 backward");
    EXPECT_EQ(peakOwners(trace, memory::findPeak(trace), 1).modules.size(), 1U);
}

/// A second in which data is made, then a microsecond with all else, as where nothing is executed.
TEST(PeakOwners, ATimelineKeepsWhatHappensInAnInstant) {
    memory::Trace trace;
    trace.blocks = {{100, 100, -1, -1}};
    std::int64_t time = 1'000'000'000;
    trace.events = {{0, 0, -1, Kind::Allocate, Category::Input, Phase::Data}};
    for (std::uint32_t block = 1; block <= 1000; ++block) {
        trace.blocks.push_back({100, 100, -1, -1});
        trace.events.push_back({++time, block, -1, Kind::Allocate, Category::Activations, Phase::Forward});
    }
    const auto timeline = stepsOf(trace).at(0).timeline;
    EXPECT_LE(timeline.size(), 400U);
    const auto instant =
        std::ranges::count_if(timeline, [](const auto& point) { return point.time >= 1000; });
    EXPECT_GT(instant, 390);
    EXPECT_TRUE(std::ranges::is_sorted(timeline, {}, &wire::TimelinePoint::time));
    EXPECT_EQ(timeline.back().ledger.total(), 100 * 1001);
}

TEST(PeakOwners, EachStepHasItsPeakAndTimeline) {
    const auto steps = stepsOf(twoSteps());
    ASSERT_EQ(steps.size(), 2U);
    EXPECT_EQ(steps[0].peak.total(), 800);
    EXPECT_EQ(steps[1].peak.total(), 900);
    EXPECT_DOUBLE_EQ(steps[1].peakTime, 3);
    EXPECT_EQ(steps[1].peak[Category::Parameters], 100);
    EXPECT_EQ(steps[1].peak[Category::Temporaries], 500);
    EXPECT_EQ(steps[0].timeline.size(), 7U);
    EXPECT_EQ(steps[0].timeline.front().ledger.total(), 100);
    EXPECT_DOUBLE_EQ(steps[1].timeline.back().time, 5) << "milliseconds since the step's first event";
    ASSERT_EQ(steps[0].marks.size(), 2U);
    EXPECT_EQ(steps[0].marks[1].phase, Phase::Backward);
    EXPECT_EQ(stepsOf({}).size(), 1U) << "a trace without steps is one";
}

TEST(WhereItFits, ASmallerDeviceRefusesWhatTheLargerOneGives) {
    memory::Trace trace;
    trace.blocks = {{6 * base::kGiB, 6 * base::kGiB, -1, -1}, {6 * base::kGiB, 6 * base::kGiB, -1, -1}};
    trace.events = {{0, 0, -1, Kind::Allocate, Category::Activations, Phase::Forward},
                    {1, 1, -1, Kind::Allocate, Category::Activations, Phase::Forward}};
    predict::DeviceProfile small, large;
    small.id = "small", small.memory = 12 * base::kGiB, small.context = predict::Estimate::of(base::kGiB);
    large = small, large.id = "large", large.memory = 14 * base::kGiB;
    const auto fits = whereItFits(trace, {small, large}, 0);
    ASSERT_EQ(fits.size(), 2U);
    EXPECT_FALSE(fits[0].fits);
    EXPECT_EQ(fits[0].refused, 6 * base::kGiB);
    EXPECT_TRUE(fits[1].fits);
    EXPECT_EQ(fits[1].reserved, 12 * base::kGiB);
    EXPECT_FALSE(whereItFits(trace, {large}, 2 * base::kGiB)[0].fits) << "other processes use 2 GiB";
}

}  // namespace
}  // namespace highwater::script
