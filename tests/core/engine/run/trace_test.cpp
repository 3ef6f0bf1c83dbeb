#include "core/memory/trace.h"

#include <gtest/gtest.h>

#include <set>

#include "core/engine/run/runner.h"
#include "core/memory/trace_chunk.h"
#include "core/stack/json/json.h"
#include "core/stack/presets/presets.h"
#include "core/stack/shapes.h"
#include "tests/core/stack/random_stack.h"

namespace highwater::engine {
namespace {

using EventKind = memory::TraceEvent::Kind;
using memory::Category;
using memory::Ledger;
using wire::RunStatus;

struct Traced {
    wire::RunResult result;
    memory::Trace trace;
    std::vector<std::string> warnings;
    std::string note;
};

RunRequest request(const stack::Experiment& experiment) {
    RunRequest asked;
    asked.experiment = experiment;
    asked.steps = 2;
    asked.warmup = 1;
    return asked;
}

stack::Experiment parse(const std::string& members) {
    auto parsed = stack::parseExperiment("{\"schema\": \"highwater.experiment/1\", " + members + "}", "test");
    EXPECT_TRUE(parsed) << parsed.error().message;
    return *parsed;
}

Traced traced(RunRequest asked,
              const std::function<void(const wire::Event&, std::atomic<bool>&)>& each = {}) {
    Traced run;
    const auto info = stack::inferShapes(asked.experiment);
    for (const stack::LayerInfo& layer : info->layers) {
        run.trace.layers.push_back(layer.name);
    }
    asked.trace = [&](const memory::TraceChunk& chunk) {
        append(run.trace, chunk);
        run.note += chunk.note;
        return base::Status();
    };
    std::atomic<bool> cancel{false};
    const auto result = engine::run(
        asked,
        [&](const wire::Event& event) {
            if (const auto* const warning = std::get_if<wire::Warning>(&event)) {
                run.warnings.push_back(warning->message);
            }
            if (each) {
                each(event, cancel);
            }
        },
        cancel);
    EXPECT_TRUE(result) << result.error().message;
    if (result) {
        run.result = *result;
    }
    return run;
}

Ledger ledgerAtEnd(const memory::Trace& trace) {
    Ledger ledger = trace.before();
    std::vector<Category> categories(trace.blocks.size());
    for (const memory::TraceAlive& each : trace.alive) {
        categories[each.block] = each.category;
    }
    for (const memory::TraceEvent& event : trace.events) {
        const base::Bytes bytes = trace.blocks[event.block].bytes;
        if (event.kind != EventKind::Allocate) {
            ledger[categories[event.block]] -= bytes;
        }
        if (event.kind != EventKind::Free) {
            ledger[event.category] += bytes;
        }
        categories[event.block] = event.category;
    }
    return ledger;
}

/// The trace agrees with the run's result, to the byte.
void expectAgrees(const Traced& run) {
    const auto status = check(run.trace);
    ASSERT_TRUE(status) << status.error().message;
    const memory::TracePeak peak = findPeak(run.trace);
    EXPECT_EQ(peak.ledger.total(), run.result.peakAllocated);
    EXPECT_EQ(peak.ledger, run.result.peakByCategory);
    // It ends where memory was refused: memory freed by the exception is not part of the step.
    EXPECT_EQ(ledgerAtEnd(run.trace), run.result.failure ? run.result.failure->ledger : run.result.atEnd);
    if (peak.event >= 0) {
        EXPECT_EQ(run.trace.events[static_cast<std::size_t>(peak.event)].layer, run.result.peak.layer);
        EXPECT_EQ(run.trace.events[static_cast<std::size_t>(peak.event)].phase, run.result.peak.phase);
    }
    EXPECT_TRUE(run.note.empty()) << run.note;
}

const std::string kTracedStack = R"("input": {"synthetic": [1, 12, 12, 12]}, "target": {"classes": 2},
    "loss": "cross_entropy", "stack": [
      {"type": "conv", "out_channels": 8, "padding": 1}, {"type": "batch_norm"}, {"type": "relu", "inplace": true},
      {"type": "block", "name": "b", "checkpoint": true, "layers": [
        {"type": "conv", "out_channels": 8, "padding": 1}, {"type": "batch_norm"}, {"type": "dropout"}]},
      {"type": "conv", "out_channels": 2, "kernel_size": 1}],
    "step": {"batch_size": 2, "seed": 5})";

TEST(RunTrace, TellsTheRunOfEveryPreset) {
    const auto presets = stack::loadPresets();
    ASSERT_TRUE(presets) << presets.error().message;
    for (const stack::Preset& preset : *presets) {
        RunRequest asked = request(preset.experiment);
        if (auto* const input = std::get_if<stack::SyntheticInput>(&asked.experiment.input)) {
            std::fill(input->shape.begin() + 1, input->shape.end(), 16);
        }
        const Traced run = traced(asked);
        ASSERT_EQ(run.result.status, RunStatus::Done) << preset.id;
        SCOPED_TRACE(preset.id);
        expectAgrees(run);
        EXPECT_EQ(run.trace.steps.size(), 3U);
    }
}

TEST(RunTrace, TellsTheRunOfRandomStacks) {
    stack::testing::RandomLimits limits;
    limits.without = {"custom_conv", "inplace_abn"};
    int done = 0;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        const stack::Experiment experiment = stack::testing::randomExperiment(seed, limits);
        if (!stack::checkSupported(experiment, *stack::inferShapes(experiment), false)) {
            continue;
        }
        SCOPED_TRACE(seed);
        const Traced run = traced(request(experiment));
        expectAgrees(run);
        done += run.result.status == RunStatus::Done;
    }
    EXPECT_GT(done, 30);
}

TEST(RunTrace, HoldsSavedTensorsRecomputationAndOperators) {
    const Traced run = traced(request(parse(kTracedStack)));
    std::set<std::string> operators;
    bool saved = false, again = false, state = false;
    for (const memory::TraceEvent& event : run.trace.events) {
        const memory::TraceBlock& block = run.trace.blocks[event.block];
        saved |= event.kind == EventKind::Retag && event.category == Category::Activations &&
                 event.phase == memory::Phase::Forward && event.layer >= 0;
        again |= event.phase == memory::Phase::Recompute;
        state |= event.phase == memory::Phase::Optimizer && event.kind == EventKind::Allocate;
        if (block.label >= 0) {
            operators.insert(run.trace.labels[static_cast<std::size_t>(block.label)]);
        }
    }
    EXPECT_TRUE(saved);
    EXPECT_TRUE(again);
    EXPECT_TRUE(state);
    EXPECT_GT(operators.size(), 5U);
    EXPECT_TRUE(run.trace.timed);
}

TEST(RunTrace, TellsARunThatTheBudgetEnds) {
    RunRequest asked = request(parse(kTracedStack));
    const base::Bytes peak = traced(asked).result.peakAllocated;
    for (const base::Bytes budget : {peak - 1, peak / 2, base::Bytes{1}}) {
        SCOPED_TRACE(budget);
        asked.budget = budget;
        const Traced run = traced(asked);
        EXPECT_EQ(run.result.status, RunStatus::OutOfMemory);
        expectAgrees(run);
    }
}

TEST(RunTrace, TellsACancelledRun) {
    RunRequest asked = request(parse(kTracedStack));
    asked.steps = 1000;
    const Traced run = traced(asked, [](const wire::Event& event, std::atomic<bool>& cancel) {
        if (const auto* const step = std::get_if<wire::StepDone>(&event)) {
            cancel = step->index == 2;
        }
    });
    EXPECT_EQ(run.result.status, RunStatus::Cancelled);
    expectAgrees(run);
    EXPECT_GE(run.trace.steps.size(), 3U);
}

TEST(RunTrace, EndsAtItsLimitWithAWordAboutIt) {
    RunRequest asked = request(parse(kTracedStack));
    asked.steps = 50;
    const std::int64_t events =
        static_cast<std::int64_t>(traced(request(parse(kTracedStack))).trace.events.size());
    asked.traceEvents = 2 * events;
    const Traced run = traced(asked);
    EXPECT_EQ(run.result.status, RunStatus::Done);
    EXPECT_TRUE(check(run.trace));
    EXPECT_LE(static_cast<std::int64_t>(run.trace.events.size()), 2 * events);
    EXPECT_GT(static_cast<std::int64_t>(run.trace.events.size()), events);
    ASSERT_EQ(run.warnings.size(), 1U);
    EXPECT_EQ(run.warnings[0], run.note);
}

TEST(RunTrace, ASinkThatFailsEndsTheTraceNotTheRun) {
    RunRequest asked = request(parse(kTracedStack));
    int calls = 0;
    asked.trace = [&](const memory::TraceChunk&) -> base::Status {
        ++calls;
        return base::Error{"trace.db: no space left"};
    };
    std::vector<std::string> warnings;
    const std::atomic<bool> cancel{false};
    const auto result = engine::run(
        asked,
        [&](const wire::Event& event) {
            if (const auto* const warning = std::get_if<wire::Warning>(&event)) {
                warnings.push_back(warning->message);
            }
        },
        cancel);
    ASSERT_TRUE(result);
    EXPECT_EQ(result->status, RunStatus::Done);
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(warnings, std::vector<std::string>{"the trace ends early: trace.db: no space left"});
}

}  // namespace
}  // namespace highwater::engine
