#include "core/predict/fit/assess.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/units.h"

namespace highwater::predict {
namespace {

using base::kGiB;
using base::kMiB;
using memory::Category;
using ::testing::AllOf;
using ::testing::Gt;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Lt;

/// A walk made from its requests.
class Requests {
public:
    Walk walk;

    std::uint32_t take(Estimate bytes, int layer = 2) {
        const auto block = static_cast<std::uint32_t>(walk.blocks.size());
        walk.blocks.push_back({bytes, "conv", static_cast<std::int16_t>(layer)});
        note(block, WalkEvent::Kind::Allocate, layer);
        return block;
    }
    std::uint32_t take(base::Bytes bytes) { return take(Estimate::of(bytes)); }
    void give(std::uint32_t block) { note(block, WalkEvent::Kind::Free, 2); }

private:
    void note(std::uint32_t block, WalkEvent::Kind kind, int layer) {
        WalkEvent event;
        event.block = block;
        event.kind = kind;
        event.layer = static_cast<std::int16_t>(layer);
        event.phase = memory::Phase::Backward;
        event.step = 1;
        walk.events.push_back(event);
    }
};

/// A device of 16 GiB with a context of 200 to 600 MiB, with measured figures.
Target device() {
    Target target;
    target.gpu.emplace();
    target.gpu->memory = 16 * kGiB;
    target.gpu->memorySource = DeviceProfile::Source::Measured;
    target.gpu->workspaceTable = "measured";
    target.gpu->context = {200 * kMiB, 400 * kMiB, 600 * kMiB};
    return target;
}

Prediction assess(const Walk& walk, const Target& target = device()) {
    Prediction prediction;
    Estimate live;
    std::vector<bool> first(walk.blocks.size(), false);
    for (const WalkEvent& event : walk.events) {
        const Estimate& bytes = walk.blocks[event.block].bytes;
        const int sign = event.kind == WalkEvent::Kind::Allocate ? 1 : -1;
        live += {sign * bytes.low, sign * bytes.expected, sign * bytes.high};
        auto& peak = prediction.peakAllocated;
        peak = {std::max(peak.low, live.low), std::max(peak.expected, live.expected),
                std::max(peak.high, live.high)};
    }
    assessGpu(walk, target, prediction);
    return prediction;
}

// --- the distribution

TEST(ProbabilityAbove, IsThatOfTheSumOfTwoUniforms) {
    const Uniform a{2, 5}, b{10, 11};
    for (double limit = 11; limit <= 17; limit += 0.37) {
        constexpr int kGrid = 400;
        int above = 0;
        for (int i = 0; i < kGrid; ++i) {
            for (int j = 0; j < kGrid; ++j) {
                above += 2 + 3 * (i + 0.5) / kGrid + 10 + (j + 0.5) / kGrid > limit ? 1 : 0;
            }
        }
        EXPECT_NEAR(probabilityAbove(a, b, limit), above / static_cast<double>(kGrid * kGrid), 0.005)
            << limit;
        EXPECT_NEAR(probabilityAbove(a, b, limit), probabilityAbove(b, a, limit), 1e-12);
    }
    EXPECT_EQ(probabilityAbove(a, b, 11.9), 1);
    EXPECT_NEAR(probabilityAbove(a, b, 16), 0, 1e-12);
    EXPECT_NEAR(probabilityAbove(a, b, 14), 0.5, 1e-12);
}

TEST(ProbabilityAbove, TakesPointsForRanges) {
    EXPECT_DOUBLE_EQ(probabilityAbove({3, 3}, {10, 14}, 14), 0.75);
    EXPECT_DOUBLE_EQ(probabilityAbove({10, 14}, {3, 3}, 14), 0.75);
    EXPECT_EQ(probabilityAbove({3, 3}, {4, 4}, 7), 0);
    EXPECT_EQ(probabilityAbove({3, 3}, {4, 4}, 6.9), 1);
}

// --- GPUs

TEST(AssessGpu, CountsWhatTheAllocatorReserves) {
    Requests r;
    r.take(3 * kMiB);   // a segment of 20 MiB
    r.take(100);        // one of 2 MiB
    r.take(15 * kMiB);  // the rest of the first
    r.take(11 * kMiB);  // its own of 12 MiB, handed out whole
    const Prediction p = assess(r.walk);
    EXPECT_EQ(p.peakReserved, Estimate::of(34 * kMiB));
    EXPECT_EQ(p.fragmentation, 34 * kMiB - 30 * kMiB - 512);
    EXPECT_EQ(p.capacity, 16 * kGiB - 400 * kMiB);
    EXPECT_EQ(p.oomProbability, 0);
    EXPECT_EQ(p.fits, Fits::Yes);
    EXPECT_THAT(p.outOfMemory, IsEmpty());
}

TEST(AssessGpu, SaysWhereARunEnds) {
    Requests r;
    r.take(10 * kGiB);
    r.take(Estimate::of(8 * kGiB), 11);
    const Prediction p = assess(r.walk);
    EXPECT_EQ(p.oomProbability, 1);
    EXPECT_EQ(p.fits, Fits::No);
    EXPECT_THAT(p.outOfMemory, AllOf(HasSubstr("step 2, backward, layer 12 (conv): requests 8.00 GiB"),
                                     HasSubstr("10.0 GiB reserved of 15.6 GiB")));
    EXPECT_EQ(p.peakReserved, Estimate::of(18 * kGiB));  // what it would reserve
}

TEST(AssessGpu, NamesFragmentation) {
    Requests r;
    const auto large = r.take(12 * kGiB);
    r.give(large);
    r.take(1 * kGiB);   // a part of that segment, which can no longer be released
    r.take(12 * kGiB);  // neither the rest of it nor the device has that much in one piece
    const Prediction p = assess(r.walk);
    EXPECT_THAT(p.outOfMemory,
                AllOf(HasSubstr("1.00 GiB of these are allocated"), HasSubstr("11.0 GiB are free in pieces"),
                      HasSubstr("in one piece they would have sufficed")));
    EXPECT_EQ(p.fits, Fits::No);
    EXPECT_EQ(p.fragmentation, 11 * kGiB);
}

TEST(AssessGpu, LetsTheCacheBeGivenBack) {
    Requests r;
    const auto first = r.take(9 * kGiB);
    r.give(first);
    const auto second = r.take(10 * kGiB);
    r.give(second);
    const Prediction p = assess(r.walk);  // 19 GiB without a limit
    EXPECT_EQ(p.fits, Fits::Yes);
    EXPECT_EQ(p.oomProbability, 0);
    EXPECT_EQ(p.peakReserved.expected, 10 * kGiB);
    EXPECT_EQ(p.peakReserved.high, 19 * kGiB);
}

TEST(AssessGpu, GivesTheOddsOfTheContext) {
    Requests r;
    r.take(16 * kGiB - 300 * kMiB);  // fits while the context takes at most 300 of 200 to 600 MiB
    const Prediction p = assess(r.walk);
    EXPECT_DOUBLE_EQ(p.oomProbability, 0.75);
    EXPECT_EQ(p.fits, Fits::Uncertain);
    EXPECT_THAT(p.outOfMemory, HasSubstr("requests"));  // at the expected 400 MiB
}

TEST(AssessGpu, KeepsToTheFractionThatAProcessMayReserve) {
    Requests r;
    r.take(6 * kGiB);
    Target target = device();
    EXPECT_EQ(assess(r.walk, target).fits, Fits::Yes);
    target.allocator.memoryFraction = 0.5;
    const Prediction half = assess(r.walk, target);
    EXPECT_EQ(half.fits, Fits::Yes);
    EXPECT_EQ(half.capacity, 8 * kGiB);
    target.allocator.memoryFraction = 0.25;
    const Prediction quarter = assess(r.walk, target);
    EXPECT_EQ(quarter.fits, Fits::No);
    EXPECT_EQ(quarter.oomProbability, 1);
    EXPECT_EQ(quarter.capacity, 4 * kGiB);
    EXPECT_THAT(quarter.outOfMemory, HasSubstr("requests 6.00 GiB"));
}

TEST(AssessGpu, DoubtsTheRulesAtAFractionToo) {
    Requests r;
    r.take(8 * kGiB);
    Target target = device();
    target.gpu->workspaceTable.clear();  // the need may be 5 % higher or lower
    target.allocator.memoryFraction = 0.5;
    EXPECT_THAT(assess(r.walk, target).oomProbability, AllOf(Gt(0.4), Lt(0.6)));
}

TEST(AssessGpu, WidensADatasheetsMemoryAndLeavesOthersTheirs) {
    Requests r;
    r.take(16 * kGiB - 300 * kMiB);
    Target target = device();
    target.gpu->memorySource = DeviceProfile::Source::Datasheet;
    const double half = 16.0 * 1024 / 200;  // MiB
    EXPECT_NEAR(assess(r.walk, target).oomProbability, (600 + half - 300) / (400 + 2 * half), 1e-9);
    target = device();
    target.others = 100 * kMiB;
    EXPECT_DOUBLE_EQ(assess(r.walk, target).oomProbability, 1);  // 200 MiB are left for 200 to 600
    target.others = 50 * kMiB;
    EXPECT_DOUBLE_EQ(assess(r.walk, target).oomProbability, 0.875);
}

TEST(AssessGpu, DoubtsRulesThatNobodyComparedWithADevice) {
    Requests r;
    r.take(15 * kGiB);
    EXPECT_EQ(assess(r.walk).fits, Fits::Yes);
    EXPECT_TRUE(assess(r.walk).exact());
    Target target = device();
    target.gpu->workspaceTable.clear();
    const Prediction p = assess(r.walk, target);
    EXPECT_FALSE(p.exact());
    // N from 14.25 to 15.75 GiB, C from 200 to 600 MiB: more than 16 GiB in a corner of the rectangle.
    const double over = 15.75 * 1024 + 600 - 16 * 1024;
    EXPECT_NEAR(p.oomProbability,
                (over * over - (over - 400) * std::max(0.0, over - 400)) / 2 / (1.5 * 1024 * 400), 1e-6);
    EXPECT_EQ(p.fits, Fits::Uncertain);
    Requests clear;
    clear.take(14 * kGiB);
    EXPECT_EQ(assess(clear.walk, target).oomProbability, 0);
    Requests hopeless;
    hopeless.take(17 * kGiB);
    EXPECT_EQ(assess(hopeless.walk, target).oomProbability, 1);
}

TEST(AssessGpu, TakesASmallerWorkspaceWhereTheLargeOneCannotBeHad) {
    Requests r;
    r.take(10 * kGiB);
    r.give(r.take({0, 0, 20 * kGiB}));
    const Prediction p = assess(r.walk);
    EXPECT_EQ(p.fits, Fits::Yes);
    EXPECT_EQ(p.peakReserved, (Estimate{10 * kGiB, 10 * kGiB, 30 * kGiB}));
    Requests s;
    s.take(10 * kGiB);
    s.give(s.take({0, 8 * kGiB, 20 * kGiB}));
    const Prediction q = assess(s.walk);
    EXPECT_THAT(q.outOfMemory, IsEmpty());  // the expected one cannot be had either, none is needed
    // N is uniform from 10 to 18 GiB, C from 200 to 600 MiB: 16 GiB less 400 MiB on average.
    EXPECT_THAT(q.oomProbability, AllOf(Gt(0.25), Lt(0.35)));
    EXPECT_EQ(q.fits, Fits::Uncertain);
}

TEST(AssessGpu, SurvivesMoreThanAnyDevice) {
    Requests r;
    for (int i = 0; i < 4; ++i) {
        r.take(base::Bytes{1} << 60);
    }
    const Prediction p = assess(r.walk);
    EXPECT_EQ(p.fits, Fits::No);
    EXPECT_THAT(p.outOfMemory, HasSubstr("requests"));
    EXPECT_EQ(assess(Walk{}).fits, Fits::Yes);
}

TEST(AssessGpu, SaysWhatIsNotMeasured) {
    EXPECT_THAT(assess(Walk{}).guesses,
                ::testing::Contains(HasSubstr("CUDA context is taken as 200 MiB to 600 MiB")));
}

// --- the CPU

TEST(AssessCpu, ComparesThePeakWithTheMachine) {
    Prediction p;
    p.peakAllocated = {2 * kGiB, 3 * kGiB, 6 * kGiB};
    Target target;
    assessCpu(target, p);
    EXPECT_EQ(p.fits, Fits::Uncertain);
    target.memory = 5 * kGiB;
    assessCpu(target, p);
    EXPECT_DOUBLE_EQ(p.oomProbability, 0.25);
    EXPECT_EQ(p.capacity, 5 * kGiB);
    EXPECT_THAT(p.outOfMemory, IsEmpty());
    target.memory = 7 * kGiB;
    assessCpu(target, p);
    EXPECT_EQ(p.fits, Fits::Yes);
    target.memory = 1 * kGiB;
    assessCpu(target, p);
    EXPECT_EQ(p.fits, Fits::No);
    EXPECT_THAT(p.outOfMemory, HasSubstr("this machine has 1.00 GiB"));
}

}  // namespace
}  // namespace highwater::predict
