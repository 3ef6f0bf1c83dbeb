#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/gpu/rules/ladder.h"

namespace highwater::gpu {

/// The totals of comparisons of many experiments.
struct Totals {
    int run = 0, equal = 0, samePeak = 0;
    std::vector<double> peaks, reserved;  ///< relative errors, 0.01: one percent
    int rungs = 0, rungsRight = 0;

    void add(const Walks& walks);
    void add(const std::vector<Rung>& ladder);
};

/// The quantile at `share`, between 0 (the best) and 1 (the worst); 0 if there are no values.
double quantile(std::vector<double> errors, double share);

/// One row of the page's table; `ladder`: with a column for the capacities.
std::string rowOf(std::string_view name, const Totals& totals, bool ladder = true);
/// The same with cuDNN's workspaces.
struct AskedTotals {
    std::string cudnn, device;
    std::size_t questions = 0;
    Totals standard, random;
};
/// docs/gpu-rules.md: what was compared, how, the results, and what they do not show.
std::string rulesPage(const Totals& standard, const Totals& random);
/// The second part of that page: the same with cuDNN's workspaces.
std::string askedSection(const AskedTotals& asked);

}  // namespace highwater::gpu
