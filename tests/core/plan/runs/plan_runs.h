#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/plan/make_fit.h"
#include "tests/core/predict/accuracy/accuracy.h"

/// Plans of random stacks, held against runs on this machine's CPU and against an exhaustive search.
namespace highwater::plan::testing {

/// What became of one stack under one budget.
struct Planned {
    int seed = 0;
    base::Bytes asItIs = 0, least = 0, budget = 0;
    base::Bytes measured = 0;  ///< the peak of the planned run
    bool exact = false;        ///< the prediction called itself exact
    double ms = 0;             ///< predicted for the plan
    double bestMs = 0;         ///< of the best plan by exhaustive search; 0: there were too many
};

/// Plans the stack under `budgets` budgets, evenly between the least possible and what it needs as it is,
/// runs each, and searches all plans of stacks that have no more than `mostPlans`.
base::Result<std::vector<Planned>> planAndRun(predict::testing::Accuracy& accuracy,
                                              const predict::testing::Case& each, int budgets,
                                              std::size_t mostPlans);

/// A random stack of few layers, whose plans can all be tried.
predict::testing::Case smallCase(int seed);

}  // namespace highwater::plan::testing
