#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/plan/make_fit.h"
#include "tests/core/predict/accuracy/accuracy.h"

/// Plans of random stacks, compared with runs on this machine's CPU and with an exhaustive search.
namespace highwater::plan::testing {

/// The result for one stack with one budget.
struct Planned {
    int seed = 0;
    base::Bytes asItIs = 0, least = 0, budget = 0;
    base::Bytes measured = 0;  ///< the peak of the planned run
    bool exact = false;        ///< the prediction claimed to be exact
    double ms = 0;             ///< predicted for the plan
    double bestMs = 0;         ///< of the best plan by exhaustive search; 0: too many plans
};

/// Plans the stack with `budgets` budgets, evenly spaced between the minimum possible and what it needs
/// unchanged, runs each, and searches all plans of stacks that have at most `mostPlans`.
base::Result<std::vector<Planned>> planAndRun(predict::testing::Accuracy& accuracy,
                                              const predict::testing::Case& each, int budgets,
                                              std::size_t mostPlans);

/// A random stack of few layers, whose plans can all be enumerated.
predict::testing::Case smallCase(int seed);

}  // namespace highwater::plan::testing
