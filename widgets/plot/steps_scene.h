#pragma once

#include <QSizeF>
#include <span>

#include "core/base/statistics.h"
#include "widgets/plot/chart_scene.h"

/// The pictures of "Peak over steps" and "Time by phase", from the steps' values.
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
    const StepBar* highest = nullptr;          ///< points into the steps
};

/// The steps (ascending by index) in sight, in groups of `perBar` consecutive indices.
std::vector<StepGroup> groupSteps(const RunShape& run, std::span<const StepBar> steps, double from, double to,
                                  long long perBar);

/// Both scenes draw the groups they are given; `perBar` is the width of a bar in steps.
ChartScene peakScene(const RunShape& run, std::span<const StepGroup> groups, long long perBar,
                     const std::optional<Refusal>& refusal, StepRange view, QSizeF plot);
ChartScene timeScene(const RunShape& run, std::span<const StepGroup> groups, long long perBar, StepRange view,
                     QSizeF plot);
HoverCard peakCard(const RunShape& run, std::span<const StepGroup> groups, double x);
HoverCard timeCard(const RunShape& run, std::span<const StepGroup> groups, double x);

/// "204.1 ms a step (203.4–204.8, n = 27) · 9.8 samples/s"; empty without a value.
QString summaryNote(const base::Interval& stepMs, double throughput);
/// "highest 1.89 GiB in step 12 of 40"; empty without steps.
QString highestNote(const RunShape& run, std::span<const StepBar> steps);
/// The phases that take time in the groups.
std::vector<SeriesStyle> phaseLegend(std::span<const StepGroup> groups);

}  // namespace highwater::widgets
