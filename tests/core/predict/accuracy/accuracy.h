#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/engine/run/runner.h"
#include "core/predict/predict.h"

/// Predictions against measurements of the CPU, on random stacks (tests/core/stack/random_stack.h).
namespace highwater::predict::testing {

inline constexpr int kCases = 300;

/// What a trace adds up to.
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
/// The seeds from 0 to `count` - 1, even ones first: LibTorch makes its threads anew whenever their number
/// changes, and new ones spin for milliseconds.
std::vector<int> seedsByThreads(int count);

struct Outcome {
    Sums measured, predicted;
    Estimate guessed;         ///< the peak where no convolution of the stack has a row; guessed from others'
    std::size_t rows = 0;     ///< convolution passes of the stack
    std::size_t missing = 0;  ///< of them, not in the tables that were there, and measured now
    std::size_t events = 0;
    bool sameEvents = false;  ///< allocation by allocation
    std::string difference;   ///< the first event that is not the same; empty: none
};

/// Measures cases in this process and predicts them. Rows come from the tables of this machine's kind where
/// they have them; others are measured in passing.
class Accuracy {
public:
    Accuracy();
    ~Accuracy();

    base::Result<Outcome> run(const Case& each);
    /// The tables by threads, with the rows that were added.
    const std::map<int, Calibration>& tables() const;
    /// Measures what a stack needs and the tables do not have; how many rows that were.
    base::Result<std::size_t> addRows(const stack::Experiment& experiment, const stack::StackInfo& info);

private:
    struct Tables;
    std::unique_ptr<Tables> tables_;
};

/// (predicted - measured) / measured, and whether the interval holds it.
double relativeError(const Outcome& outcome);
bool holds(const Outcome& outcome);
/// The value that this share (0 to 1) of the values does not pass. There is one.
double quantile(std::vector<double> values, double share);

}  // namespace highwater::predict::testing
