#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "widgets/plot/plot_values.h"

/// Which steps the step axis shows, and which of them share a bar.
namespace highwater::widgets {

/// The unzoomed range of the step axis. A short run is shown whole from the start. For a long run the range
/// covers the steps done so far and doubles each time it is full, so that the axis does not move with every
/// step.
struct StepRange {
    double from = 0.5, to = 1.5;
};
StepRange fullStepRange(const RunShape& run, int stepsDone);

/// [from, to] moved and narrowed so that it lies in `whole`, and at least `narrowest` wide. Returns
/// std::nullopt if the result is the whole range, or if [from, to] is not finite.
std::optional<StepRange> fitView(double from, double to, StepRange whole, double narrowest);

/// Several steps drawn as one bar. `highest` is the step with the largest peak.
struct StepGroup {
    int first = 0, last = 0;  ///< first and last index, counted from 0, both included
    bool warmup = false;      ///< all steps of the group are warm-up steps
    /// Mean over the measured steps, or over the warm-up steps if there are no others.
    std::array<double, kPhaseCount> meanMs{};
    /// Mean host time of the same steps; zeros if the host was not timed.
    std::array<double, kPhaseCount> meanHostMs{};
    bool hostSlower = false;           ///< true if the host was slower in each of those steps
    const StepBar* highest = nullptr;  ///< points into the steps
};

/// The steps in view, in groups of `perBar` consecutive indices. `steps` must ascend by index.
std::vector<StepGroup> groupSteps(const RunShape& run, std::span<const StepBar> steps, double from, double to,
                                  long long perBar);

}  // namespace highwater::widgets
