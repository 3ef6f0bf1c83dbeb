#pragma once

#include <cmath>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "core/study/trial.h"

/// A machine that runs subjects in no time, for tests of trials: the cost of a step is known, and so are the
/// disturbances.
namespace highwater::study::testing {

struct Machine {
    std::map<std::string, double> stepMs;  ///< the true values, by subject
    std::map<std::string, Bytes> peak;
    double noise = 0;          ///< sigma of a run's factor, on the logarithmic scale
    double stepNoise = 0;      ///< sigma of a step's
    double drift = 0;          ///< each run is slower by this fraction than the previous one
    int steps = 12, cold = 0;  ///< cold: the first steps take three times as long
    std::uint64_t seed = 1;
    std::map<std::string, wire::RunStatus> endsAs;  ///< subjects that fail
    std::function<void(int)> afterRun;              ///< called with the number of runs so far

    std::vector<std::string> log;  ///< "a 0", "b 0", "b 1": what was run

    Runner runner() {
        random_.seed(seed);
        return [this](const Subject& subject, int repeat) { return run(subject, repeat); };
    }

private:
    base::Result<RunOutcome> run(const Subject& subject, int repeat) {
        log.push_back(subject.name + " " + std::to_string(repeat));
        RunOutcome outcome;
        outcome.result.runId = "run" + std::to_string(log.size());
        outcome.result.peakAllocated = peak[subject.name];
        const auto ends = endsAs.find(subject.name);
        outcome.result.status = ends == endsAs.end() ? wire::RunStatus::Done : ends->second;
        const double slow = std::pow(1 + drift, static_cast<double>(log.size())) * factor(noise);
        for (int i = 0; i < steps; ++i) {
            outcome.stepMs.push_back(stepMs[subject.name] * slow * (i < cold ? 3 : 1) * factor(stepNoise));
        }
        if (afterRun) {
            afterRun(static_cast<int>(log.size()));
        }
        return outcome;
    }
    double factor(double sigma) {
        return sigma > 0 ? std::exp(std::normal_distribution<>(0, sigma)(random_)) : 1;
    }
    std::mt19937_64 random_;
};

inline std::vector<Subject> subjects(const std::vector<std::string>& names) {
    std::vector<Subject> all;
    for (const std::string& name : names) {
        all.push_back({name, {}, {}});
    }
    return all;
}

}  // namespace highwater::study::testing
