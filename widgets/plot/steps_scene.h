#pragma once

#include <QSizeF>
#include <span>

#include "core/base/statistics.h"
#include "widgets/plot/chart_scene.h"
#include "widgets/plot/step_groups.h"

/// The charts "Peak over steps" and "Time by phase" as scenes.
namespace highwater::widgets {

/// The axis of steps in a plot of this width, with the word "warm-up" below the steps before the first
/// measured one, which is at 1. `first` is the position of the run's first step.
void setStepAxis(ChartScene& scene, double first, StepRange view, double width);

/// Both charts draw the given groups. `perBar` is the width of a bar in steps.
ChartScene peakScene(const RunShape& run, std::span<const StepGroup> groups, long long perBar,
                     const std::optional<Refusal>& refusal, StepRange view, QSizeF plot);
ChartScene timeScene(const RunShape& run, std::span<const StepGroup> groups, long long perBar, StepRange view,
                     QSizeF plot);
HoverCard peakCard(const RunShape& run, std::span<const StepGroup> groups, double x);
HoverCard timeCard(const RunShape& run, std::span<const StepGroup> groups, double x);

/// "204 ms per step (203 ms to 205 ms), predicted 198 ms · 9.8 samples/s · n = 27". If nothing was measured,
/// only `predicted` is returned.
QString summaryNote(const base::Interval& stepMs, double throughput, const QString& predicted = {});
/// "highest 1.89 GiB in step 12 of 40"; empty if there are no steps.
QString highestNote(const RunShape& run, std::span<const StepBar> steps);
/// The phases that take any time in these groups.
std::vector<SeriesStyle> phaseLegend(std::span<const StepGroup> groups);

}  // namespace highwater::widgets
