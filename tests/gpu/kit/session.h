#pragma once

#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/wire/events.h"
#include "tests/gpu/kit/case.h"
#include "tests/gpu/kit/journal.h"

namespace highwater::kit {

/// Seconds of the machine's monotonic clock, the same in every process.
double secondsNow();

/// The state of a worker process of the kit.
struct Session {
    std::string device = "cpu";
    Scale scale = Scale::Rehearsal;
    bool quick = false;
    std::string only;  ///< the name of the only experiment to run; empty: all
    double until = 0;  ///< secondsNow() after which nothing new is started
    Journal journal;

    bool timeIsOver() const { return secondsNow() >= until; }
    bool onGpu() const { return device != "cpu"; }
};

/// Runs once and releases cached memory to the device. Errors: the engine's, for what cannot be run here.
base::Result<wire::RunResult> runOnce(const Session& session, const stack::Experiment& experiment, int warmup,
                                      int steps, std::optional<base::Bytes> budget = {});

/// The memory of the run that a budget limits: reserved on a GPU, allocated on the CPU.
base::Bytes needed(const wire::RunResult& result);

/// Prints one line on stderr, for the waiting user.
void say(const std::string& line);

// The parts of the kit, each one or more separate processes. They add their results to the journal, skip what
// it already has, and end when the time is up.
// out what it already has, and end when the time is over.
void runExperiments(const Session& session, const std::string& words);
void runLadders(const Session& session);
void provokeOutOfMemory(const Session& session);
/// `timed`: those with `benchmark`, otherwise all others. In a single process, the first measurement of a
/// convolution would determine its plan for both.
void measureConvolutions(const Session& session, bool timed);

}  // namespace highwater::kit
