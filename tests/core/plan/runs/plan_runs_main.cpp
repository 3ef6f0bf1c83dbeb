#include <fmt/format.h>

#include <cstdlib>

#include "tests/core/plan/runs/plan_runs.h"

namespace {

using namespace highwater;

/// The totals over the runs of many stacks.
struct Totals {
    int runs = 0, over = 0, exact = 0, refused = 0;
    std::vector<double> slower, saved;

    void add(int seed, const base::Result<std::vector<plan::testing::Planned>>& all) {
        if (!all) {
            ++refused;
            fmt::print("seed {}: {}\n", seed, all.error().message);
            return;
        }
        for (const plan::testing::Planned& each : *all) {
            ++runs;
            exact += each.exact ? 1 : 0;
            saved.push_back(1 - static_cast<double>(each.least) / static_cast<double>(each.asItIs));
            if (each.bestMs > 0) {
                slower.push_back(each.ms / each.bestMs - 1);
            }
            if (each.measured > each.budget) {
                ++over;
                fmt::print("seed {}: {} B measured, {} B over the budget\n", seed, each.measured,
                           each.measured - each.budget);
            }
        }
        std::fflush(stdout);
    }

    void print(const char* of) const {
        using predict::testing::quantile;
        fmt::print("{}: {} runs, {} with an exact prediction; {} over the budget, {} stacks refused\n", of,
                   runs, exact, over, refused);
        if (!saved.empty()) {
            fmt::print("  the least possible is below the need as it is by: median {:.1f} %, most {:.1f} %\n",
                       100 * quantile(saved, 0.5), 100 * quantile(saved, 1));
        }
        if (!slower.empty()) {
            fmt::print(
                "  time over the best of all plans, {} times: median {:.2f} %, 95th percentile {:.2f} %, "
                "worst {:.2f} %\n",
                slower.size(), 100 * quantile(slower, 0.5), 100 * quantile(slower, 0.95),
                100 * quantile(slower, 1));
        }
    }
};

}  // namespace

/// plan_runs [STACKS]: plans random stacks with three budgets each, runs them, and compares as many small
/// stacks with an exhaustive search (docs/make-it-fit.md). Prints a line for each run that exceeded its
/// budget.
int main(int argc, char** argv) {
    const int stacks = argc > 1 ? std::atoi(argv[1]) : 300;
    predict::testing::Accuracy accuracy;
    Totals random, small;
    for (int seed = 0; seed < stacks; ++seed) {
        random.add(seed, plan::testing::planAndRun(accuracy, predict::testing::makeCase(seed), 3, 0));
    }
    random.print("random stacks");
    for (int seed = 0; seed < stacks; ++seed) {
        small.add(seed, plan::testing::planAndRun(accuracy, plan::testing::smallCase(seed), 3, 3000));
    }
    small.print("small stacks");
    return random.over + small.over + random.refused + small.refused > 0 ? 1 : 0;
}
