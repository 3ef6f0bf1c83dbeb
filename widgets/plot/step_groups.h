#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "widgets/plot/plot_values.h"

/// Which steps the step axis shows, and which of them share a bar.
namespace highwater::widgets {

/// What the step axis shows unzoomed: all of a short run from its first moment, and of a long one as much as
/// is done, in steps of doubling, so that the axis does not creep.
struct StepRange {
    double from = 0.5, to = 1.5;
};
StepRange fullStepRange(const RunShape& run, int stepsDone);

/// [from, to] moved and narrowed into `whole`, at least `narrowest` wide; nothing where that is the whole, or
/// not finite.
std::optional<StepRange> fitView(double from, double to, StepRange whole, double narrowest);

/// Several steps drawn as one bar. `highest` is the one with the largest peak.
struct StepGroup {
    int first = 0, last = 0;                   ///< 0-based indices, inclusive, of steps that were measured
    bool warmup = false;                       ///< all of them
    std::array<double, kPhaseCount> meanMs{};  ///< over the measured steps, or over the warm-up where all are
    std::array<double, kPhaseCount> meanHostMs{};  ///< of those; zeros where the host was not timed
    bool hostSlower = false;                       ///< in each of those
    const StepBar* highest = nullptr;              ///< points into the steps
};

/// The steps (ascending by index) in sight, in groups of `perBar` consecutive indices.
std::vector<StepGroup> groupSteps(const RunShape& run, std::span<const StepBar> steps, double from, double to,
                                  long long perBar);

}  // namespace highwater::widgets
