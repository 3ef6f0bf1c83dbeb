#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/statistics.h"
#include "core/stack/experiment.h"
#include "core/wire/events.h"

/// Several experiments run in turns until their times are known well enough.
namespace highwater::study {

using base::Bytes;
using base::Millis;

/// One of the experiments that are compared.
struct Subject {
    std::string name;  ///< unique among them
    stack::Experiment experiment;
    std::optional<Bytes> budget;  ///< tensor memory that its runs may not pass
    bool operator==(const Subject&) const = default;
};

/// One finished run.
struct RunOutcome {
    wire::RunResult result;
    std::vector<Millis> stepMs;  ///< of every step that did not wait, in order, the warm-up included
};

/// Runs a subject once, to its end. An Error: it could not be run at all (bad input, no engine); a run that
/// ends early is an outcome with that status.
using Runner = std::function<base::Result<RunOutcome>(const Subject& subject, int repeat)>;

struct TrialOptions {
    int repeatsLeast = 3;     ///< 1 or more
    int repeatsMost = 9;      ///< the cap
    double tolerance = 0.02;  ///< enough when half of every time's 95 % interval is within this of its median
    bool interleave = true;   ///< subjects take turns, in opposite order every other time; else one after the
                              ///< other
    Millis timeLimit = 0;     ///< no repeat beyond repeatsLeast begins after it; 0: none
};

/// What the repeats of one subject gave. Figures of memory are the largest over the repeats.
struct Measured {
    std::string name;
    wire::RunStatus status = wire::RunStatus::Done;  ///< of the last repeat; another than Done ends them
    std::string why;                                 ///< why not done; one line
    std::vector<Millis> repeatMs;     ///< for each repeat the median step after its own warm-up
    base::Interval stepMs;            ///< over the repeats
    std::vector<std::size_t> warmUp;  ///< steps found to be warm-up, a repeat
    std::size_t stepsUsed = 0;        ///< over all repeats
    wire::RunResult result;           ///< of the last repeat
    std::vector<std::string> runIds;
    bool tight = false;  ///< the tolerance was met
};

struct Progress {
    int done = 0, atMost = 0;  ///< runs
    std::string what;          ///< "plain, repeat 2": what begins now
};

/// Runs all subjects in turns. A subject whose run does not end as Done gets no more repeats, the others go
/// on. Cancelled: what has been measured so far; the subjects without a run have status Cancelled. An Error:
/// the options are no trial, or the very first run could not be made (a later run that could not be made ends
/// its subject as Failed).
base::Result<std::vector<Measured>> measure(const std::vector<Subject>& subjects, const Runner& runner,
                                            const TrialOptions& options, const std::atomic<bool>& cancel,
                                            const std::function<void(const Progress&)>& progress = {});

}  // namespace highwater::study
