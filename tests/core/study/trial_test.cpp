#include "core/study/trial.h"

#include <gmock/gmock.h>

#include "core/study/statistics.h"
#include "tests/core/study/machine.h"

namespace highwater::study {
namespace {

using highwater::study::testing::Machine;
using highwater::study::testing::subjects;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::atomic<bool> kGoOn{false};

TrialOptions fixed(int repeats) {
    TrialOptions options;
    options.repeatsLeast = options.repeatsMost = repeats;
    return options;
}

std::vector<Measured> measured(Machine& machine, const std::vector<std::string>& names,
                               const TrialOptions& options, const std::atomic<bool>& cancel = kGoOn) {
    auto result = measure(subjects(names), machine.runner(), options, cancel);
    EXPECT_TRUE(result) << result.error().message;
    return result ? *result : std::vector<Measured>();
}

std::string trialRefusal(const std::vector<Subject>& some, const TrialOptions& options) {
    Machine machine;
    const auto result = measure(some, machine.runner(), options, kGoOn);
    EXPECT_TRUE(machine.log.empty());
    return result ? "no error" : result.error().message;
}

TEST(Trial, RefusesWhatIsNoTrial) {
    EXPECT_THAT(trialRefusal({}, {}), HasSubstr("nothing to measure"));
    EXPECT_THAT(trialRefusal(subjects({"a", "a"}), {}), HasSubstr("two experiments are named \"a\""));
    EXPECT_THAT(trialRefusal(subjects({"a"}), fixed(0)), HasSubstr("0 to 0 repeats"));
    TrialOptions options;
    options.repeatsMost = 2;
    EXPECT_THAT(trialRefusal(subjects({"a"}), options), HasSubstr("3 to 2 repeats"));
    options = {};
    options.tolerance = std::nan("");
    EXPECT_THAT(trialRefusal(subjects({"a"}), options), HasSubstr("tolerance"));
}

TEST(Trial, TakesTurnsInOppositeOrder) {
    Machine machine;
    machine.stepMs = {{"a", 1}, {"b", 2}, {"c", 3}};
    measured(machine, {"a", "b", "c"}, fixed(3));
    EXPECT_THAT(machine.log, ElementsAre("a 0", "b 0", "c 0", "c 1", "b 1", "a 1", "a 2", "b 2", "c 2"));
    machine.log.clear();
    TrialOptions options = fixed(2);
    options.interleave = false;
    measured(machine, {"a", "b"}, options);
    EXPECT_THAT(machine.log, ElementsAre("a 0", "a 1", "b 0", "b 1"));
}

TEST(Trial, FindsTheWarmUpAndLeavesItOut) {
    Machine machine;
    machine.stepMs = {{"a", 10}};
    machine.cold = 3;
    const auto a = measured(machine, {"a"}, fixed(4)).front();
    EXPECT_EQ(a.name, "a");
    EXPECT_EQ(a.status, wire::RunStatus::Done);
    EXPECT_EQ(a.why, "");
    EXPECT_THAT(a.warmUp, ElementsAre(3, 3, 3, 3));
    EXPECT_EQ(a.stepsUsed, 4U * 9);
    EXPECT_EQ(a.stepMs, (base::Interval{10, 10, 10, 4}));
    EXPECT_THAT(a.runIds, ElementsAre("run1", "run2", "run3", "run4"));
    EXPECT_TRUE(a.tight);
}

TEST(Trial, StopsWhenEveryTimeIsKnownWellEnough) {
    Machine machine;
    machine.stepMs = {{"a", 10}, {"b", 20}};
    EXPECT_EQ(measured(machine, {"a", "b"}, {})[0].repeatMs.size(), 3U);
    machine.noise = 0.3;
    machine.log.clear();
    const auto noisy = measured(machine, {"a", "b"}, {});
    EXPECT_EQ(machine.log.size(), 18U);
    EXPECT_FALSE(noisy[0].tight);
    EXPECT_EQ(noisy[0].stepMs.n, 9);
    // In between: the first count of repeats at which all intervals are narrow enough, and not one before it.
    machine.noise = 0.02;
    for (std::uint64_t seed = 1; seed < 30; ++seed) {
        machine.seed = seed;
        const auto both = measured(machine, {"a", "b"}, {});
        const auto narrow = [&](std::size_t n) {
            return std::all_of(both.begin(), both.end(), [&](const Measured& m) {
                return relativeHalfWidth(base::medianWithInterval(std::span(m.repeatMs).first(n))) <= 0.02;
            });
        };
        const std::size_t n = both[0].repeatMs.size();
        EXPECT_EQ(both[1].repeatMs.size(), n);
        EXPECT_TRUE(n == 9 || narrow(n));
        for (std::size_t fewer = 3; fewer < n; ++fewer) {
            EXPECT_FALSE(narrow(fewer)) << fewer << " of " << n;
        }
        EXPECT_EQ(both[0].tight && both[1].tight, narrow(n));
    }
}

TEST(Trial, NoRepeatBeyondTheLeastBeginsLate) {
    Machine machine;
    machine.stepMs = {{"a", 10}, {"b", 20}};
    machine.noise = 0.3;
    TrialOptions options;
    options.timeLimit = 1e-9;
    EXPECT_EQ(measured(machine, {"a", "b"}, options)[0].stepMs.n, 3);
    options.timeLimit = 1e9;
    EXPECT_EQ(measured(machine, {"a", "b"}, options)[0].stepMs.n, 9);
}

TEST(Trial, PairsAreRightOnAMachineThatDrifts) {
    Machine machine;
    machine.stepMs = {{"a", 100}, {"b", 110}};
    machine.drift = 0.03;  // 70 % slower at the end
    const auto turns = measured(machine, {"a", "b"}, fixed(9));
    const Paired right = paired(turns[1].repeatMs, turns[0].repeatMs);
    EXPECT_TRUE(right.differs);
    EXPECT_LE(right.ratio.low, 1.1);
    EXPECT_GE(right.ratio.high, 1.1);
    EXPECT_NEAR(right.ratio.median, 1.1, 0.034);
    // The intervals of the medians overlap: by themselves they show nothing.
    EXPECT_GT(turns[0].stepMs.high, turns[1].stepMs.low);
    // Without taking turns, the drift is mistaken for a difference.
    TrialOptions options = fixed(9);
    options.interleave = false;
    machine.log.clear();
    const auto blocks = measured(machine, {"a", "b"}, options);
    EXPECT_GT(paired(blocks[1].repeatMs, blocks[0].repeatMs).ratio.low, 1.3);
}

TEST(Trial, EqualSubjectsDifferInOneOfTwentyAtMost) {
    for (const double noise : {0.004, 0.015, 0.03, 0.1}) {
        int alarms = 0;
        const int trials = 400;
        for (int trial = 0; trial < trials; ++trial) {
            Machine machine;
            machine.stepMs = {{"a", 50}, {"b", 50}};
            machine.noise = noise;
            machine.stepNoise = noise;
            machine.drift = trial % 2 ? 0.002 : 0;
            machine.seed = static_cast<std::uint64_t>(trial + 1);
            const auto both = measured(machine, {"a", "b"}, {});
            alarms += paired(both[0].repeatMs, both[1].repeatMs).differs;
        }
        // 5 %, plus twice its standard error.
        EXPECT_LE(alarms / static_cast<double>(trials), 0.068) << noise;
    }
}

TEST(Trial, WhatDoesNotGetThroughEndsAloneAndSaysWhy) {
    Machine machine;
    machine.stepMs = {{"a", 10}, {"big", 10}, {"b", 20}};
    machine.endsAs["big"] = wire::RunStatus::OutOfMemory;
    const auto all = measured(machine, {"a", "big", "b"}, fixed(3));
    EXPECT_EQ(all[1].status, wire::RunStatus::OutOfMemory);
    EXPECT_EQ(all[1].why, "out of memory");
    EXPECT_EQ(all[1].stepMs, base::Interval{});
    EXPECT_FALSE(all[1].tight);
    EXPECT_THAT(all[1].runIds, ElementsAre("run2"));
    EXPECT_EQ(all[0].stepMs.n, 3);
    EXPECT_EQ(all[2].stepMs.n, 3);
    EXPECT_EQ(machine.log.size(), 7U);
}

TEST(Trial, TheFirstRunThatCannotBeMadeIsAnErrorLaterOnesEndTheirSubject) {
    int calls = 0;
    const auto failsAt = [&](int at) {
        calls = 0;
        return measure(
            subjects({"a", "b"}),
            [&, at](const Subject&, int) -> base::Result<RunOutcome> {
                if (++calls == at) {
                    return base::Error{"no engine"};
                }
                return RunOutcome{{}, {1, 1, 1, 1}};
            },
            fixed(3), kGoOn);
    };
    const auto first = failsAt(1);
    ASSERT_FALSE(first);
    EXPECT_EQ(first.error().message, "no engine");
    EXPECT_EQ(calls, 1);
    const auto second = failsAt(2);
    ASSERT_TRUE(second);
    EXPECT_EQ((*second)[0].stepMs.n, 3);
    EXPECT_EQ((*second)[1].status, wire::RunStatus::Failed);
    EXPECT_EQ((*second)[1].why, "no engine");
}

TEST(Trial, CancelKeepsWhatWasMeasured) {
    std::atomic<bool> cancel{false};
    Machine machine;
    machine.stepMs = {{"a", 10}, {"b", 20}, {"c", 30}};
    machine.afterRun = [&](int runs) { cancel = runs == 2; };
    const auto early = measured(machine, {"a", "b", "c"}, fixed(3), cancel);
    EXPECT_EQ(machine.log.size(), 2U);
    EXPECT_EQ(early[0].status, wire::RunStatus::Done);
    EXPECT_EQ(early[1].stepMs.n, 1);
    EXPECT_EQ(early[2].status, wire::RunStatus::Cancelled);
    EXPECT_EQ(early[2].stepMs.n, 0);
    EXPECT_NE(early[2].why, "");
}

TEST(Trial, ARunCutShortByCancelDoesNotCount) {
    std::atomic<bool> cancel{false};
    int calls = 0;
    const Runner runner = [&](const Subject&, int) -> base::Result<RunOutcome> {
        RunOutcome outcome{{}, {5, 5, 5, 5}};
        outcome.result.peakAllocated = 100;
        if (++calls >= 3) {
            cancel = true;
            outcome.result.status = wire::RunStatus::Cancelled;
            outcome.result.peakAllocated = 7;
            outcome.stepMs = {99};
        }
        return outcome;
    };
    const auto all = measure(subjects({"a", "b"}), runner, fixed(5), cancel);
    ASSERT_TRUE(all);
    for (const Measured& m : *all) {
        EXPECT_EQ(m.status, wire::RunStatus::Done);
        EXPECT_THAT(m.repeatMs, ElementsAre(5));
        EXPECT_EQ(m.result.peakAllocated, 100);
    }
}

TEST(Trial, MemoryIsTheLargestOfTheRepeats) {
    int calls = 0;
    const Runner runner = [&](const Subject&, int) -> base::Result<RunOutcome> {
        RunOutcome outcome{{}, {1, 1}};
        const Bytes peaks[] = {10, 30, 20};
        outcome.result.peakAllocated = peaks[calls];
        outcome.result.peakRss = 100 - peaks[calls];
        outcome.result.peakByCategory[memory::Category::Activations] = peaks[calls];
        outcome.result.lossLast = calls++;
        return outcome;
    };
    const auto a = measure(subjects({"a"}), runner, fixed(3), kGoOn)->front();
    EXPECT_EQ(a.result.peakAllocated, 30);
    EXPECT_EQ(a.result.peakRss, 90);
    EXPECT_EQ(a.result.peakByCategory[memory::Category::Activations], 30);
    EXPECT_EQ(a.result.lossLast, 2);
}

TEST(Trial, SaysWhatBeginsAndHowMuchThereIsAtMost) {
    Machine machine;
    machine.stepMs = {{"a", 10}, {"b", 20}};
    machine.endsAs["b"] = wire::RunStatus::Failed;
    std::vector<std::string> said;
    ASSERT_TRUE(measure(subjects({"a", "b"}), machine.runner(), fixed(2), kGoOn, [&](const Progress& p) {
        said.push_back(std::to_string(p.done) + "/" + std::to_string(p.atMost) + " " + p.what);
    }));
    EXPECT_THAT(said, ElementsAre("0/4 a, repeat 1", "1/4 b, repeat 1", "2/3 a, repeat 2"));
}

}  // namespace
}  // namespace highwater::study
