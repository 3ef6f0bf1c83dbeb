#include "core/runs/compare.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "tests/core/runs/store_fixture.h"

namespace highwater::runs {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

RunRecord recordOf(base::Bytes peak, std::initializer_list<double> times) {
    RunRecord record;
    record.experiment = highwater::runs::test::experimentNamed("r");
    record.result.peakAllocated = peak;
    record.events.emplace_back(highwater::runs::test::stepOf(0, 1e6, 0, true));  // warm-up does not count
    for (const double time : times) {
        record.events.emplace_back(highwater::runs::test::stepOf(1, time, 0));
    }
    wire::StepDone waited = highwater::runs::test::stepOf(1, 1e6, 0);  // nor does a wait
    waited.waited = true;
    record.events.emplace_back(waited);
    return record;
}

TEST(Compare, RatiosAreOfMediansWithAnInterval) {
    const auto run = recordOf(909, {114, 115, 115, 115, 116}),
               baseline = recordOf(1000, {99, 100, 100, 100, 101});
    const Comparison result = compare(run, baseline);
    EXPECT_DOUBLE_EQ(result.memoryRatio, 0.909);
    EXPECT_DOUBLE_EQ(result.timeRatio.median, 1.15);
    EXPECT_EQ(result.timeRatio.n, 5);
    EXPECT_LE(result.timeRatio.low, 1.15);
    EXPECT_GE(result.timeRatio.low, 114.0 / 101);
    EXPECT_GE(result.timeRatio.high, 1.15);
    EXPECT_TRUE(result.timeDiffers);
    EXPECT_EQ(describe(result), "−9.1 % memory, +15.0 % time");
    EXPECT_EQ(compare(run, baseline).timeRatio, result.timeRatio);
}

TEST(Compare, OverlappingTimesAreNoise) {
    const Comparison result =
        compare(recordOf(1000, {90, 100, 110, 95, 105}), recordOf(1000, {92, 101, 108, 96, 103}));
    EXPECT_FALSE(result.timeDiffers);
    EXPECT_EQ(describe(result), "±0 % memory, time: within the noise");
}

TEST(Compare, OfOneStepNothingIsSaidOfTheTime) {
    const Comparison result = compare(recordOf(1000, {9000}), recordOf(1000, {92, 101, 108, 96, 103}));
    EXPECT_FALSE(result.timeDiffers);
    EXPECT_EQ(describe(result), "±0 % memory, time: too few steps to tell");
}

TEST(Compare, IntervalsThatTouchMayStillDiffer) {
    const base::Interval run{110, 104, 116, 20}, baseline{100, 95, 105, 20};
    const base::Interval ratio = timeRatio(run, baseline);
    EXPECT_DOUBLE_EQ(ratio.median, 1.1);
    // Each distance to the median, as a logarithm: 0.0561 below and 0.0488 above give 0.0743.
    EXPECT_NEAR(ratio.low, 1.1 * std::exp(-std::hypot(std::log(110.0 / 104), std::log(105.0 / 100))), 1e-12);
    EXPECT_GT(ratio.low, 1);
    EXPECT_TRUE(timeDiffers(ratio));
    EXPECT_FALSE(timeDiffers(timeRatio({105, 99, 111, 20}, baseline)));
}

TEST(Compare, EqualRunsAreSeldomCalledDifferent) {
    std::mt19937_64 random(3);
    std::lognormal_distribution<double> time(3, 0.1);
    int different = 0;
    constexpr int kPairs = 300;
    for (int i = 0; i < kPairs; ++i) {
        std::vector<double> a(20), b(20);
        std::ranges::generate(a, [&] { return time(random); });
        std::ranges::generate(b, [&] { return time(random); });
        different += timeDiffers(timeRatio(base::medianWithInterval(a), base::medianWithInterval(b)));
    }
    EXPECT_LE(different, kPairs * 8 / 100);
    EXPECT_GE(different, 1);  // 5 in 100 are expected
}

TEST(Compare, TooFewStepsProveNothing) {
    const Comparison result = compare(recordOf(1, {200, 210}), recordOf(1, {100, 110}));
    EXPECT_EQ(result.timeRatio.n, 2);
    EXPECT_DOUBLE_EQ(result.timeRatio.low, 200.0 / 110);
    EXPECT_DOUBLE_EQ(result.timeRatio.high, 2.1);
    EXPECT_FALSE(result.timeDiffers);
}

TEST(Compare, RunsThatMeasuredNothingAreNotComparable) {
    const Comparison result = compare(recordOf(0, {}), recordOf(1000, {1, 2, 3}));
    EXPECT_EQ(result.memoryRatio, 0);
    EXPECT_EQ(result.timeRatio.n, 0);
    EXPECT_EQ(describe(result), "not comparable");
}

TEST(Compare, AlikeRunsDifferInNothing) {
    EXPECT_THAT(compare(recordOf(1, {}), recordOf(1, {})).differences, IsEmpty());
}

TEST(Compare, NamesAnotherCommandOfAScript) {
    RunRecord run = recordOf(1, {}), baseline = recordOf(1, {});
    run.script.emplace();
    baseline.script.emplace();
    baseline.script->command = {"/scripts/train.py"};
    run.script->command = {"/scripts/train.py", "--batch", "1"};
    EXPECT_THAT(compare(run, baseline).differences, ElementsAre("command train.py → train.py --batch 1"));
}

TEST(Compare, APeakBeforeTheStepsEndIsNotComparable) {
    RunRecord run = recordOf(600, {}), baseline = recordOf(1000, {1, 2, 3});
    for (const auto& [status, measured, ratio] :
         {std::tuple{wire::RunStatus::OutOfMemory, 0, 0.0}, std::tuple{wire::RunStatus::Failed, 5, 0.0},
          std::tuple{wire::RunStatus::Cancelled, 0, 0.0}, std::tuple{wire::RunStatus::Cancelled, 5, 0.6},
          std::tuple{wire::RunStatus::Done, 5, 0.6}}) {
        run.result.status = status;
        run.result.stepMs.n = measured;
        EXPECT_EQ(compare(run, baseline).memoryRatio, ratio) << wire::statusKey(status);
    }
}

TEST(Compare, NamesAnotherBudget) {
    RunRecord run = recordOf(1, {}), baseline = recordOf(1, {});
    wire::Started started;
    baseline.events.emplace_back(started);
    started.budget = 100 * base::kMiB;
    run.events.emplace_back(started);
    EXPECT_THAT(compare(run, baseline).differences, ElementsAre("budget none → 100 MiB"));
}

TEST(Compare, NamesWhatDiffers) {
    RunRecord run = recordOf(1, {}), baseline = recordOf(1, {});
    run.experiment.step.batchSize = 4;
    run.experiment.step.checkpoint.kind = stack::Checkpointing::Kind::None;
    run.experiment.optimizer.kind = stack::Optimizer::Kind::Sgd;
    std::get<stack::Conv>(run.experiment.stack[0].op).kernelSize = {5};
    run.result.environment.threads = 8;
    EXPECT_THAT(compare(run, baseline).differences,
                ::testing::AllOf(Contains("batch 2 → 4"), Contains("checkpoint blocks → none"),
                                 Contains(::testing::HasSubstr("→ sgd")),
                                 Contains(::testing::StartsWith("layer 1 conv kernel_size")),
                                 Contains("threads 0 → 8")));
}

TEST(Compare, NamesAnotherNumberOfMeasuredSteps) {
    RunRecord run = recordOf(1, {}), baseline = recordOf(1, {});
    baseline.result.stepMs.n = 20;
    run.result.stepMs.n = 3;
    EXPECT_THAT(compare(run, baseline).differences, ElementsAre("measured steps 20 → 3"));
}

TEST(Compare, AnotherNumberOfLayersIsOneLine) {
    RunRecord run = recordOf(1, {}), baseline = recordOf(1, {});
    run.experiment.stack.push_back({"", stack::Activation{}});
    EXPECT_THAT(compare(run, baseline).differences, ElementsAre("layers 2 → 3"));
}

}  // namespace
}  // namespace highwater::runs
