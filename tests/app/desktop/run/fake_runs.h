#pragma once

#include <atomic>
#include <chrono>
#include <thread>

#include "app/desktop/study/study_worker.h"
#include "core/stack/experiment.h"

namespace highwater::desktop::test {

/// Fake runs: memory and time are derived from the experiment's name alone. They wait while `hold` is set.
struct FakeRuns {
    std::atomic<int> runs{0};
    std::atomic<bool> hold{false};
    std::string refuses;  ///< why no run can be made; empty if they can
    std::string fails;    ///< subjects whose name contains this run out of memory
    std::atomic<std::thread::id> thread{};

    MakeRunner make() {
        return [this](const study::LocalRun& how,
                      const std::atomic<bool>& cancel) -> base::Result<study::Runner> {
            if (!refuses.empty()) {
                return base::Error{refuses};
            }
            return study::Runner(
                [this, steps = how.steps, &cancel](const study::Subject& subject, int repeat) {
                    return run(subject, repeat, steps, cancel);
                });
        };
    }

private:
    base::Result<study::RunOutcome> run(const study::Subject& subject, int repeat, int steps,
                                        const std::atomic<bool>& cancel) {
        ++runs;
        thread = std::this_thread::get_id();
        while (hold && !cancel) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        const auto has = [&](const char* word) { return subject.name.find(word) != std::string::npos; };
        study::RunOutcome outcome;
        wire::RunResult& result = outcome.result;
        result.runId = "run" + std::to_string(runs);
        result.environment.device = "cpu";
        result.environment.deviceName = "A processor";
        result.environment.threads = 2;
        result.status = cancel ? wire::RunStatus::Cancelled : wire::RunStatus::Done;
        if (!fails.empty() && has(fails.c_str())) {
            result.status = wire::RunStatus::OutOfMemory;
            result.failure.emplace();
            result.failure->status = result.status;
            result.failure->why = "asked for 14.8 of 11.6 GiB";
        }
        const bool less = has("checkpointed") || has("In-place activations on");
        result.peakAllocated = (less ? 60 : 100) * base::kMiB;
        result.layers.resize(1);
        outcome.stepMs.assign(static_cast<std::size_t>(steps), (less ? 12.0 : 10.0) + 0.01 * (repeat % 3));
        return outcome;
    }
};

/// Two convolutions in a block and one before it, all with an activation that can be in place.
inline stack::Experiment smallExperiment() {
    stack::Experiment e;
    e.name = "small";
    e.input = stack::SyntheticInput{{1, 8, 8, 8}};
    e.loss = stack::Loss::Mean;
    stack::Conv conv;
    conv.outChannels = 4;
    conv.padding.sizes = {1};
    stack::Block block;
    block.layers = {{"", conv}, {"", stack::Activation{}}};
    e.stack = {{"", conv}, {"", stack::Activation{}}, {"", block}, {"", conv}};
    return e;
}

}  // namespace highwater::desktop::test
