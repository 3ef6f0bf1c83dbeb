#include "core/study/trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <set>
#include <span>
#include <utility>

#include "core/study/statistics.h"

namespace highwater::study {

namespace {

using base::Error;
using std::chrono::steady_clock;

base::Status checkTrial(const std::vector<Subject>& subjects, const TrialOptions& options) {
    if (subjects.empty()) {
        return Error{"there is nothing to measure; give at least one experiment"};
    }
    std::set<std::string_view> names;
    for (const Subject& subject : subjects) {
        if (!names.insert(subject.name).second) {
            return Error{
                fmt::format("two experiments are named \"{}\"; give each its own name", subject.name)};
        }
    }
    if (options.repeatsLeast < 1 || options.repeatsMost < options.repeatsLeast) {
        return Error{fmt::format(
            "{} to {} repeats are not possible; give 1 or more, the maximum not below the minimum",
            options.repeatsLeast, options.repeatsMost)};
    }
    if (!(options.tolerance >= 0)) {
        return Error{fmt::format("a tolerance of {} is not possible; give 0 or more", options.tolerance)};
    }
    return {};
}

std::string reason(const wire::RunResult& result) {
    if (result.failure && !result.failure->why.empty()) {
        return result.failure->why;
    }
    switch (result.status) {
        case wire::RunStatus::Cancelled:
            return "cancelled";
        case wire::RunStatus::OutOfMemory:
            return "out of memory";
        default:
            return "the run failed";
    }
}

/// Replaces the result by the latest run's, but keeps the highest peaks.
void keepResult(Measured& measured, wire::RunResult latest, bool first) {
    wire::RunResult earlier = std::exchange(measured.result, std::move(latest));
    if (first) {
        return;
    }
    wire::RunResult& now = measured.result;
    if (earlier.peakAllocated > now.peakAllocated) {
        now.peakAllocated = earlier.peakAllocated;
        now.peakByCategory = earlier.peakByCategory;
        now.peak = std::move(earlier.peak);
        now.deviceAtPeak = earlier.deviceAtPeak;
    }
    now.peakReserved = std::max(now.peakReserved, earlier.peakReserved);
    now.peakRss = std::max(now.peakRss, earlier.peakRss);
    now.peakDeviceUsed = std::max(now.peakDeviceUsed, earlier.peakDeviceUsed);
}

void takeTimes(Measured& measured, const std::vector<Millis>& stepMs) {
    if (stepMs.empty()) {
        return;
    }
    const std::size_t warmUp = warmUpOf(stepMs);
    measured.warmUp.push_back(warmUp);
    measured.stepsUsed += stepMs.size() - warmUp;
    measured.repeatMs.push_back(base::median(std::span(stepMs).subspan(warmUp)));
    measured.stepMs = base::medianWithInterval(measured.repeatMs);
}

void end(Measured& measured, wire::RunStatus status, std::string why) {
    measured.status = status;
    measured.why = std::move(why);
}

class Trial {
public:
    Trial(const std::vector<Subject>& subjects, const Runner& runner, const TrialOptions& options,
          const std::atomic<bool>& cancel, const std::function<void(const Progress&)>& progress)
        : subjects_(subjects),
          runner_(runner),
          options_(options),
          cancel_(cancel),
          progress_(progress),
          measured_(subjects.size()),
          runs_(subjects.size(), 0) {
        for (std::size_t s = 0; s < subjects.size(); ++s) {
            measured_[s].name = subjects[s].name;
            measured_[s].status = wire::RunStatus::Cancelled;
            measured_[s].why = "not run";
        }
    }

    base::Result<std::vector<Measured>> run() {
        std::vector<std::size_t> all(subjects_.size());
        std::iota(all.begin(), all.end(), std::size_t{0});
        base::Status status;
        if (options_.interleave) {
            status = takeTurns(all);
        } else {
            for (std::size_t s = 0; s < all.size() && status; ++s) {
                status = takeTurns({s});
            }
        }
        if (!status) {
            return status.error();
        }
        return std::move(measured_);
    }

private:
    bool ended(std::size_t s) const { return runs_[s] > 0 && measured_[s].status != wire::RunStatus::Done; }
    bool late() const {
        const std::chrono::duration<double, std::milli> passed = steady_clock::now() - began_;
        return options_.timeLimit > 0 && passed.count() >= options_.timeLimit;
    }

    base::Status takeTurns(std::vector<std::size_t> group) {
        for (int repeat = 0; repeat < options_.repeatsMost; ++repeat) {
            if (repeat >= options_.repeatsLeast && late()) {
                return {};
            }
            for (const std::size_t s : group) {
                if (ended(s)) {
                    continue;
                }
                if (cancel_) {
                    return {};
                }
                HIGHWATER_TRY(runOnce(s, repeat));
            }
            std::reverse(group.begin(), group.end());
            if (repeat + 1 >= options_.repeatsLeast && enough(group)) {
                return {};
            }
        }
        return {};
    }

    base::Status runOnce(std::size_t s, int repeat) {
        say(s, repeat);
        auto outcome = runner_(subjects_[s], repeat);
        if (!outcome && finished_ == 0) {
            return outcome.error();
        }
        ++finished_;
        outcome ? take(measured_[s], std::move(*outcome), runs_[s] == 0)
                : end(measured_[s], wire::RunStatus::Failed, outcome.error().message);
        ++runs_[s];
        return {};
    }

    void take(Measured& measured, RunOutcome outcome, bool first) const {
        measured.place = outcome.place;
        if (outcome.result.status == wire::RunStatus::Cancelled && cancel_ && !first) {
            if (!outcome.result.runId.empty()) {
                measured.runIds.push_back(outcome.result.runId);
            }
            return;  // the results of the subject's earlier repeats stay
        }
        addRun(measured, std::move(outcome), first, options_.tolerance);
    }

    /// True if the times of all subjects that have not ended are within the tolerance.
    bool enough(const std::vector<std::size_t>& group) const {
        return std::all_of(group.begin(), group.end(),
                           [&](std::size_t s) { return ended(s) || measured_[s].tight; });
    }

    void say(std::size_t s, int repeat) const {
        if (!progress_) {
            return;
        }
        int atMost = finished_;
        for (std::size_t other = 0; other < subjects_.size(); ++other) {
            atMost += ended(other) ? 0 : options_.repeatsMost - runs_[other];
        }
        progress_({finished_, atMost, fmt::format("{}, repeat {}", subjects_[s].name, repeat + 1)});
    }

    const std::vector<Subject>& subjects_;
    const Runner& runner_;
    const TrialOptions& options_;
    const std::atomic<bool>& cancel_;
    const std::function<void(const Progress&)>& progress_;
    std::vector<Measured> measured_;
    std::vector<int> runs_;  ///< finished runs, by subject
    int finished_ = 0;
    steady_clock::time_point began_ = steady_clock::now();
};

}  // namespace

void addRun(Measured& measured, RunOutcome outcome, bool first, double tolerance) {
    const wire::RunStatus status = outcome.result.status;
    if (!outcome.result.runId.empty()) {
        measured.runIds.push_back(outcome.result.runId);
    }
    if (status == wire::RunStatus::Done) {
        takeTimes(measured, outcome.stepMs);
        measured.tight = relativeHalfWidth(measured.stepMs) <= tolerance;
    }
    end(measured, status, status == wire::RunStatus::Done ? "" : reason(outcome.result));
    keepResult(measured, std::move(outcome.result), first);
}

base::Result<std::vector<Measured>> measure(const std::vector<Subject>& subjects, const Runner& runner,
                                            const TrialOptions& options, const std::atomic<bool>& cancel,
                                            const std::function<void(const Progress&)>& progress) {
    HIGHWATER_TRY(checkTrial(subjects, options));
    return Trial(subjects, runner, options, cancel, progress).run();
}

}  // namespace highwater::study
