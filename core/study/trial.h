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

/// Runs several experiments in turns until their times are known well enough.
namespace highwater::study {

using base::Bytes;
using base::Millis;

/// One of the experiments that are compared.
struct Subject {
    std::string name;  ///< unique among the subjects
    stack::Experiment experiment;
    std::optional<Bytes> budget;  ///< limit of tensor memory for its runs
    int cell = -1;                ///< which of a sweep's cells it is; -1: none
    bool operator==(const Subject&) const = default;
};

/// One finished run.
struct RunOutcome {
    wire::RunResult result;
    std::vector<Millis>
        stepMs;  ///< times of all steps that were not marked as waited, in order, warm-up included
    std::string place = {};  ///< where it ran: a host, "node n1 of HOST"; empty: on this machine
};

/// Runs a subject once. Error if it could not be run at all (bad input, no engine); a run that ends early is
/// an outcome with that status.
using Runner = std::function<base::Result<RunOutcome>(const Subject& subject, int repeat)>;

struct TrialOptions {
    int repeatsLeast = 3;  ///< 1 or more
    int repeatsMost = 9;   ///< at most
    double tolerance =
        0.02;  ///< enough if half of each time's 95 % interval is at most this share of its median
    bool interleave =
        true;  ///< subjects take turns, in reversed order every other time; false: one after the other
    Millis timeLimit = 0;  ///< after this time no repeat beyond repeatsLeast begins; 0: no limit
};

/// The result of one subject's repeats. Peaks are the largest over the repeats.
struct Measured {
    std::string name;
    wire::RunStatus status =
        wire::RunStatus::Done;        ///< of the last repeat; any other than Done ends the repeats
    std::string why;                  ///< why it is not Done; one line
    std::vector<Millis> repeatMs;     ///< median step of each repeat, without its warm-up
    base::Interval stepMs;            ///< over the repeats
    std::vector<std::size_t> warmUp;  ///< by repeat: number of steps found to be warm-up
    std::size_t stepsUsed = 0;        ///< steps after warm-up over all repeats
    wire::RunResult result;           ///< of the last repeat
    std::vector<std::string> runIds;
    std::string place;   ///< where its last repeat ran; empty: on this machine
    bool tight = false;  ///< true if the tolerance was met
};

/// Adds a finished run of a subject to what was measured of it, as measure() does: its time, its peaks, and
/// how it ended. `first`: it is the subject's first run. `tolerance`: TrialOptions::tolerance.
void addRun(Measured& measured, RunOutcome outcome, bool first, double tolerance);

struct Progress {
    int done = 0, atMost = 0;  ///< runs
    std::string what;          ///< what begins now: "plain, repeat 2"
};

/// Runs all subjects in turns. A subject with a run that does not end as Done gets no more repeats; the
/// others go on. If cancelled, returns what has been measured so far; subjects without a run have the status
/// Cancelled. Error if the options are not valid or the very first run could not be made (if a later run
/// cannot be made, its subject ends as Failed).
base::Result<std::vector<Measured>> measure(const std::vector<Subject>& subjects, const Runner& runner,
                                            const TrialOptions& options, const std::atomic<bool>& cancel,
                                            const std::function<void(const Progress&)>& progress = {});

}  // namespace highwater::study
