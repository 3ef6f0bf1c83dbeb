#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <string>

#include "core/base/file.h"
#include "core/runs/run_store.h"
#include "core/stack/json/json.h"

namespace highwater::desktop::test {

/// A run recorded as an engine would record it, but without an engine.
struct StoredRun {
    stack::Experiment experiment = {};
    std::string device = "cpu";
    base::Bytes peak = 100 * base::kMiB;
    double stepMs = 100;
    int steps = 20, warmup = 2;
    double firstLoss = 1, falling = 0.05;  ///< the loss falls by this fraction with each step
    runs::Study study = {};
    wire::RunStatus status = wire::RunStatus::Done;
    std::string why = {};
    bool ends = true;
};

inline wire::StepDone stepOf(const StoredRun& run, int index) {
    wire::StepDone step;
    step.index = index;
    step.warmup = index < run.warmup;
    step.total = run.stepMs * (1 + 0.02 * std::sin(index));
    step.phases = {0.05 * step.total, 0.35 * step.total, 0, 0.5 * step.total, 0.1 * step.total};
    step.peak.ledger[memory::Category::Activations] = run.peak * 3 / 4;
    step.peak.ledger[memory::Category::Parameters] = run.peak - run.peak * 3 / 4;
    step.peak.phase = wire::Phase::Backward;
    step.loss = run.firstLoss * std::exp(-run.falling * index) * (1 + 0.03 * std::sin(7.0 * index));
    if (index + 1 == run.steps + run.warmup) {
        for (int i = 0; i <= 40; ++i) {
            memory::Ledger ledger;
            ledger[memory::Category::Parameters] = run.peak / 4;
            ledger[memory::Category::Activations] = run.peak * 3 / 4 * std::min(i, 40 - i) / 20;
            step.timeline.push_back({step.total * i / 40, ledger});
        }
        step.peak.time = step.total / 2;
    }
    return step;
}

/// Returns the run's id.
inline std::string record(runs::RunStore& store, const StoredRun& run) {
    const auto folder = store.create(run.experiment, run.device, run.study);
    EXPECT_TRUE(folder) << folder.error().message;
    const std::string id = folder->filename().string();
    auto writer = runs::RunWriter::open(*folder);
    EXPECT_TRUE(writer) << writer.error().message;
    wire::Started started;
    started.runId = id;
    started.environment.device = run.device;
    started.steps = run.steps;
    started.warmup = run.warmup;
    EXPECT_TRUE(writer->append(started));
    wire::RunResult result;
    result.runId = id;
    result.status = run.status;
    result.environment = started.environment;
    const int all = run.ends ? run.steps + run.warmup : run.steps / 2;
    for (int i = 0; i < all && run.status != wire::RunStatus::OutOfMemory; ++i) {
        const wire::StepDone step = stepOf(run, i);
        EXPECT_TRUE(writer->append(step));
        result.losses.push_back(step.loss);
        result.lossLast = step.loss;
        result.peakAllocated = run.peak;
        result.peakByCategory = step.peak.ledger;
        result.stepMs = {run.stepMs, run.stepMs * 0.99, run.stepMs * 1.01, run.steps};
    }
    if (!run.why.empty()) {
        result.failure.emplace();
        result.failure->status = run.status;
        result.failure->why = run.why;
    }
    if (run.ends) {
        EXPECT_TRUE(writer->finish(result));
    }
    return id;
}

}  // namespace highwater::desktop::test
