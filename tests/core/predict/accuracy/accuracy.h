#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/engine/run/runner.h"
#include "core/predict/predict.h"

/// Predictions compared with measurements on the CPU, for random stacks (tests/core/stack/random_stack.h).
namespace highwater::predict::testing {

inline constexpr int kCases = 300;

/// The totals of a trace.
struct Sums {
    base::Bytes peak = 0;
    memory::Ledger atPeak;   ///< the split that the engine's accounting settles on
    memory::Ledger highest;  ///< each category's own maximum
    memory::Ledger atEnd;
    bool operator==(const Sums&) const = default;
};
Sums sumsOf(const memory::Trace& trace);

struct Case {
    int seed = 0;
    stack::Experiment experiment;
    stack::StackInfo info;
    bool checkpointed = false;
    std::vector<engine::CaseVolumes> cases;  ///< of a cohort
    Ranks ranks;
    std::function<void(engine::RunRequest&)> prepare = {};  ///< changes the request before it is measured
};
/// Seeds 0, 1, ...: every layer kind the engine supports; threads 1 for even seeds, 2 for odd; every third in
/// micro batches; two steps. `classTokens`: see stack::testing::RandomLimits.
Case makeCase(int seed, bool classTokens = false);
/// The seeds from 0 to `count` - 1, even ones first: LibTorch recreates its threads whenever their number
/// changes, and new ones spin for milliseconds.
std::vector<int> seedsByThreads(int count);

struct Outcome {
    Sums measured, predicted;
    Estimate guessed;         ///< the peak if no convolution of the stack has a row; guessed from others'
    std::size_t rows = 0;     ///< convolution passes of the stack
    std::size_t missing = 0;  ///< of these, those that were in no table and are measured now
    std::size_t events = 0;
    bool sameEvents = false;  ///< allocation by allocation
    std::string difference;   ///< the first event that is not the same; empty: none
};

/// Measures cases in this process and predicts them. Rows come from this machine's tables if these have them;
/// others are measured along the way.
class Accuracy {
public:
    Accuracy();
    ~Accuracy();

    base::Result<Outcome> run(const Case& each);
    /// The tables by number of threads, with the rows that were added.
    const std::map<int, Calibration>& tables() const;
    /// Measures the rows that a stack needs and the tables lack; returns their number.
    base::Result<std::size_t> addRows(const stack::Experiment& experiment, const stack::StackInfo& info);

private:
    struct Tables;
    std::unique_ptr<Tables> tables_;
};

/// (predicted - measured) / measured, and whether the interval contains the measurement.
double relativeError(const Outcome& outcome);
bool holds(const Outcome& outcome);
/// The quantile: this fraction (0 to 1) of the values does not exceed it. There must be at least one value.
double quantile(std::vector<double> values, double share);

}  // namespace highwater::predict::testing
