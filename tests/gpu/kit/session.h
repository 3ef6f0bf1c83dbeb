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

/// What a working process of the kit knows.
struct Session {
    std::string device = "cpu";
    Scale scale = Scale::Rehearsal;
    bool quick = false;
    std::string only;  ///< the name of the one experiment to run; empty: all
    double until = 0;  ///< secondsNow() from which on nothing new begins
    Journal journal;

    bool timeIsOver() const { return secondsNow() >= until; }
    bool onGpu() const { return device != "cpu"; }
};

/// Runs once and gives cached memory back to the device. Errors: the engine's, for what cannot be run here.
base::Result<wire::RunResult> runOnce(const Session& session, const stack::Experiment& experiment, int warmup,
                                      int steps, std::optional<base::Bytes> budget = {});

/// What the run held of the memory that a budget limits: reserved on a GPU, allocated on the CPU.
base::Bytes needed(const wire::RunResult& result);

/// One line on stderr, for who waits.
void say(const std::string& line);

// The parts of the kit, each a process (or more) of its own. They add what they find to the journal, leave
// out what it already has, and end when the time is over.
void runExperiments(const Session& session, const std::string& words);
void runLadders(const Session& session);
void provokeOutOfMemory(const Session& session);
/// `timed`: those with `benchmark`, else all others. In one process the first to measure a convolution would
/// decide its plan for both.
void measureConvolutions(const Session& session, bool timed);

}  // namespace highwater::kit
