#include "core/engine/run/runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/stack/json/json.h"

namespace highwater::engine {
namespace {

using memory::Category;
using ::testing::HasSubstr;
using wire::RunStatus;

/// A run with the events it emitted.
struct Told {
    base::Result<wire::RunResult> result = base::Error{"not run"};
    std::vector<wire::Event> events;

    template <class E>
    std::vector<E> all() const {
        std::vector<E> found;
        for (const wire::Event& event : events) {
            if (const auto* const e = std::get_if<E>(&event)) {
                found.push_back(*e);
            }
        }
        return found;
    }
};

RunRequest request(const std::string& members) {
    RunRequest made;
    auto parsed = stack::parseExperiment("{\"schema\": \"highwater.experiment/1\", " + members + "}", "test");
    EXPECT_TRUE(parsed.ok()) << parsed.error().message;
    if (parsed) {
        made.experiment = *parsed;
    }
    made.runId = "test";
    made.steps = 3;
    made.warmup = 1;
    return made;
}

const std::string kStack = R"("input": {"synthetic": [1, 12, 12, 12]}, "target": {"classes": 2},
    "loss": "cross_entropy", "stack": [
      {"type": "conv", "out_channels": 8, "padding": 1}, {"type": "batch_norm"}, {"type": "relu", "inplace": true},
      {"type": "block", "name": "b", "checkpoint": true, "layers": [
        {"type": "conv", "out_channels": 8, "padding": 1}, {"type": "batch_norm"}, {"type": "dropout"}]},
      {"type": "conv", "out_channels": 2, "kernel_size": 1}],
    "step": {"batch_size": 2, "seed": 5})";

Told perform(const RunRequest& asked,
             const std::function<void(const wire::Event&, std::atomic<bool>&)>& each = {}) {
    Told told;
    std::atomic<bool> cancel{false};
    told.result = run(
        asked,
        [&](const wire::Event& event) {
            told.events.push_back(event);
            if (each) {
                each(event, cancel);
            }
        },
        cancel);
    return told;
}

base::Bytes parameterBytes(const wire::RunResult& result) {
    base::Bytes count = 0;
    for (const wire::LayerCost& layer : result.layers) {
        count += layer.type == "block" ? 0 : layer.parameters;
    }
    return count * 4;
}

TEST(Runner, TellsTheWholeRun) {
    const Told told = perform(request(kStack));
    ASSERT_TRUE(told.result.ok()) << told.result.error().message;
    const wire::RunResult& result = *told.result;
    EXPECT_EQ(result.status, RunStatus::Done);
    EXPECT_EQ(result.losses.size(), 4U);
    EXPECT_EQ(result.stepMs.n, 3);
    EXPECT_GT(result.stepMs.median, 0);
    EXPECT_GT(result.phasesMs.recompute, 0);
    EXPECT_GT(result.throughput, 0);
    EXPECT_GT(result.peakRss, result.peakAllocated);
    ASSERT_EQ(result.layers.size(), 8U);
    for (const wire::LayerCost& layer : result.layers) {
        EXPECT_GT(layer.forwardMs, 0) << layer.name;
        EXPECT_GT(layer.backwardMs, 0) << layer.name;
    }
    ASSERT_FALSE(told.events.empty());
    EXPECT_TRUE(std::holds_alternative<wire::Started>(told.events.front()));
    ASSERT_TRUE(std::holds_alternative<wire::Finished>(told.events.back()));
    EXPECT_EQ(*std::get<wire::Finished>(told.events.back()).result, result);
    const auto steps = told.all<wire::StepDone>();
    ASSERT_EQ(steps.size(), 4U);
    EXPECT_TRUE(steps[0].warmup);
    EXPECT_FALSE(steps[3].timeline.empty()) << "the last step always carries its timeline";
    EXPECT_GE(told.all<wire::LayerEvent>().size(), 8U);
}

TEST(Runner, PhasesSumToTheStepAndLayersToTheirPhase) {
    const Told told = perform(request(kStack));
    for (const wire::StepDone& step : told.all<wire::StepDone>()) {
        EXPECT_NEAR(step.phases.total(), step.total, 1e-9);
    }
    double forward = 0;
    for (const wire::LayerCost& layer : told.result->layers) {
        forward += layer.type == "block" ? 0 : layer.forwardMs;
    }
    EXPECT_LE(forward, 1.5 * told.result->phasesMs.forward);
}

/// The sink waits while it takes step 2: by then that step is over, and the next one begins after the wait.
TEST(Runner, AStepAfterAWaitForTheSinkIsMarkedAndNotCounted) {
    std::atomic<std::int64_t> waits{0};
    RunRequest asked = request(kStack);
    asked.steps = 4;
    asked.waits = &waits;
    const Told told = perform(asked, [&](const wire::Event& event, std::atomic<bool>&) {
        const auto* const step = std::get_if<wire::StepDone>(&event);
        if (step != nullptr && step->index == 2) {
            ++waits;
        }
    });
    ASSERT_TRUE(told.result.ok()) << told.result.error().message;
    const auto steps = told.all<wire::StepDone>();
    ASSERT_EQ(steps.size(), 5U);
    std::vector<double> times;
    for (const wire::StepDone& step : steps) {
        EXPECT_EQ(step.waited, step.index == 3);
        EXPECT_EQ(step.timed(), step.index != 0 && step.index != 3);
        if (step.timed()) {
            times.push_back(step.total);
        }
    }
    EXPECT_EQ(told.result->stepMs, base::medianWithInterval(times));
    EXPECT_EQ(told.result->losses.size(), 5U) << "all else of it counts";
    const auto warnings = told.all<wire::Warning>();
    ASSERT_EQ(warnings.size(), 1U);
    EXPECT_THAT(warnings[0].message, HasSubstr("1 of 4 measured steps had to wait"));
}

TEST(Runner, PeakOfTheTimelineIsThePeak) {
    const Told told = perform(request(kStack));
    base::Bytes highest = 0;
    for (const wire::StepDone& step : told.all<wire::StepDone>()) {
        highest = std::max(highest, step.peak.ledger.total());
        base::Bytes seen = 0;
        for (const wire::TimelinePoint& point : step.timeline) {
            seen = std::max(seen, point.ledger.total());
        }
        if (!step.timeline.empty()) {
            EXPECT_EQ(seen, step.peak.ledger.total());
        }
    }
    EXPECT_EQ(told.result->peakAllocated, highest);
    EXPECT_EQ(told.result->peakByCategory.total(), highest);
}

TEST(Runner, WhatRemainsIsParametersOptimizerStateAndInput) {
    const Told told = perform(request(kStack));
    const memory::Ledger& end = told.result->atEnd;
    EXPECT_EQ(end[Category::Gradients], 0);
    EXPECT_EQ(end[Category::Activations], 0);
    EXPECT_EQ(end[Category::Temporaries], 0);
    EXPECT_EQ(end[Category::Workspace], 0);
    EXPECT_EQ(end[Category::Parameters], parameterBytes(*told.result) + 4 * 8 * 4)
        << "and four BN buffers of 8";
    EXPECT_EQ(end[Category::OptimizerState], 2 * parameterBytes(*told.result));
    EXPECT_EQ(end[Category::Input], 2 * 12 * 12 * 12 * (4 + 8)) << "float patches and int64 labels";
}

TEST(Runner, SamplesStandForEveryChange) {
    const Told told = perform(request(kStack));
    for (const wire::LedgerSample& sample : told.all<wire::LedgerSample>()) {
        EXPECT_GE(sample.merged, 1);
        EXPECT_LE(sample.low, sample.ledger.total());
        EXPECT_GE(sample.high, sample.ledger.total());
    }
}

TEST(Runner, TheSameSeedGivesTheSameLosses) {
    const auto first = perform(request(kStack)).result, again = perform(request(kStack)).result;
    EXPECT_EQ(first->losses, again->losses);
    RunRequest other = request(kStack);
    other.experiment.step.seed = 6;
    EXPECT_NE(perform(other).result->losses, first->losses);
}

TEST(Runner, MicroBatchesShareTheActivationsAndKeepTheLoss) {
    const std::string stack = R"("input": {"synthetic": [1, 16, 16, 16]}, "loss": "mse", "stack": [
        {"type": "conv", "out_channels": 8, "padding": 1}, {"type": "gelu"},
        {"type": "conv", "out_channels": 1, "padding": 1}], )";
    const auto whole = perform(request(stack + R"("step": {"batch_size": 4})")).result;
    const auto parts = perform(request(stack + R"("step": {"batch_size": 4, "micro_batches": 4})")).result;
    for (std::size_t i = 0; i < whole->layers.size(); ++i) {
        EXPECT_EQ(4 * parts->layers[i].activationBytes, whole->layers[i].activationBytes) << i;
    }
    EXPECT_NEAR(parts->lossFirst, whole->lossFirst, 1e-5);
    EXPECT_NEAR(parts->lossLast, whole->lossLast, 1e-4);
}

TEST(Runner, HeadsRunInMicroBatchesAndWithoutTraining) {
    const std::string stack = R"("input": {"synthetic": [2, 12, 12]}, "loss": "mse", "stack": [
        {"type": "conv", "out_channels": 2, "padding": 1, "stride": 2}, {"type": "head", "out_channels": 2},
        {"type": "conv_transpose", "out_channels": 2, "stride": 2}], "step": {"batch_size": 4)";
    const auto whole = perform(request(stack + "}")).result;
    const auto parts = perform(request(stack + R"(, "micro_batches": 2})")).result;
    const auto idle = perform(request(stack + R"(, "train": false})")).result;
    ASSERT_TRUE(whole.ok() && parts.ok() && idle.ok());
    EXPECT_NEAR(whole->lossLast, parts->lossLast, 1e-5);
    for (std::size_t i = 0; i < whole->layers.size();
         ++i) {  // at the peak there may be none: AVX2's scratch is there
        EXPECT_EQ(2 * parts->layers[i].activationBytes, whole->layers[i].activationBytes) << i;
    }
    EXPECT_DOUBLE_EQ(idle->lossFirst, whole->lossFirst);
    EXPECT_EQ(whole->peakByCategory[Category::Input], 4 * (4 * 2 * 12 * 12 + 4 * 2 * 6 * 6))
        << "the head's target too";
    EXPECT_EQ(idle->status, RunStatus::Done);
}

TEST(Runner, EvaluationOnlyRunsForward) {
    const auto result = perform(request(R"("input": {"synthetic": [1, 16, 16]}, "loss": "mean",
        "stack": [{"type": "conv", "out_channels": 4}, {"type": "batch_norm"}], "step": {"train": false})"))
                            .result;
    ASSERT_TRUE(result.ok());
    EXPECT_EQ(result->phasesMs.backward, 0);
    EXPECT_EQ(result->atEnd[Category::OptimizerState], 0);
}

TEST(Runner, ABudgetEndsTheRunWhereItIsPassed) {
    const base::Bytes peak = perform(request(kStack)).result->peakAllocated;
    RunRequest enough = request(kStack);
    enough.budget = peak;
    EXPECT_EQ(perform(enough).result->status, RunStatus::Done);
    for (const base::Bytes budget : {peak - 1, peak / 2, peak / 4, base::Bytes{2000}, base::Bytes{1}}) {
        RunRequest tight = request(kStack);
        tight.budget = budget;
        const Told told = perform(tight);
        ASSERT_TRUE(told.result.ok());
        ASSERT_EQ(told.result->status, RunStatus::OutOfMemory) << budget;
        ASSERT_TRUE(told.result->failure);
        const wire::Failed& failed = *told.result->failure;
        EXPECT_GT(failed.ledger.total() + failed.requested, budget);
        EXPECT_LE(failed.ledger.total(), budget);
        EXPECT_LE(told.result->peakAllocated, budget);
        EXPECT_THAT(failed.why, HasSubstr("over the budget of"));
        EXPECT_EQ(told.all<wire::Failed>().size(), 1U);
        if (budget >= peak / 4) {
            EXPECT_FALSE(failed.layer.empty());
        }
    }
}

TEST(Runner, CancelEndsBetweenLayersAndKeepsWhatWasMeasured) {
    RunRequest asked = request(kStack);
    asked.steps = 100000;
    const Told told = perform(asked, [](const wire::Event& event, std::atomic<bool>& cancel) {
        const auto* const step = std::get_if<wire::StepDone>(&event);
        if (step != nullptr && step->index == 3) {
            cancel = true;
        }
    });
    ASSERT_TRUE(told.result.ok());
    EXPECT_EQ(told.result->status, RunStatus::Cancelled);
    EXPECT_EQ(told.result->losses.size(), 4U);
    EXPECT_EQ(told.result->atEnd[Category::Activations], 0);
    EXPECT_EQ(told.result->atEnd[Category::Temporaries], 0);
}

TEST(Runner, RequestsThatCannotRunAreErrors) {
    const auto message = [](const RunRequest& asked) {
        const auto result = perform(asked).result;
        return result ? std::string("ran") : result.error().message;
    };
    RunRequest asked = request(kStack);
    asked.device = "gpu";
    EXPECT_THAT(message(asked), HasSubstr("choose cpu"));
    asked = request(kStack);
    asked.steps = 0;
    EXPECT_THAT(message(asked), HasSubstr("steps"));
    asked = request(kStack);
    asked.experiment.step.batchSize = 0;
    EXPECT_THAT(message(asked), HasSubstr("batch_size"));
    EXPECT_THAT(
        message(request(
            R"("input": {"scan": "a.nii", "patch": 8}, "stack": [{"type": "conv", "out_channels": 1, "padding": 1}])")),
        HasSubstr("/input/scan: 0 volumes were handed over"));
}

TEST(Runner, WithoutAGpuItSaysSoAndRunsOnTheCpu) {
    RunRequest asked = request(kStack);
    asked.device = "cuda:0";
    const Told told = perform(asked);
    ASSERT_TRUE(told.result.ok());
    EXPECT_EQ(told.result->environment.device, "cpu");
    ASSERT_EQ(told.all<wire::Warning>().size(), 1U);
    EXPECT_THAT(told.all<wire::Warning>()[0].message, HasSubstr("cuda:0"));
}

TEST(Runner, ALossThatIsNoNumberIsSaidOnce) {
    RunRequest asked = request(R"("input": {"synthetic": [1, 16, 16]}, "loss": "mse", "stack": [
        {"type": "conv", "out_channels": 1, "padding": 1}], "optimizer": {"type": "sgd", "lr": 1e9})");
    asked.steps = 12;
    const Told told = perform(asked);
    EXPECT_EQ(told.result->status, RunStatus::Done);
    EXPECT_EQ(told.all<wire::Warning>().size(), 1U);
}

TEST(Runner, EnvironmentIsFilled) {
    const wire::Environment e = environment("cpu");
    EXPECT_EQ(e.device, "cpu");
    for (const char* const key : {"highwater", "libtorch", "onednn", "blas", "compiler", "os"}) {
        EXPECT_FALSE(e.versions.at(key).empty()) << key;
    }
    EXPECT_GT(e.threads, 0);
    EXPECT_FALSE(e.isa.empty());
    EXPECT_GT(e.memoryBytes, base::kGiB / 4);
}

}  // namespace
}  // namespace highwater::engine
