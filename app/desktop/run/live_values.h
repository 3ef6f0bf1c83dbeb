#pragma once

#include <vector>

#include "core/wire/events.h"
#include "widgets/plot/plot_values.h"

/// Converts what the engine reports to the values that the plots take.
namespace highwater::desktop {

/// wire::Phase starts with Setup, the plots' phases with data.
int plotPhaseOf(wire::Phase phase);
/// "run #2: batch 2, 48³": what a run was of, in a few words. `title` is "run #2".
QString runMark(const stack::Experiment& experiment, const QString& title);
widgets::RunShape toRunShape(const wire::Started& started);
widgets::StepBar toStepBar(const wire::StepDone& step);
widgets::PeakInfo toPeakInfo(const wire::PeakMoment& peak);
widgets::MemoryPoint toPoint(const wire::LedgerSample& sample);
std::vector<widgets::MemoryPoint> toPoints(const std::vector<wire::TimelinePoint>& timeline);
std::vector<widgets::PhaseSpan> toSpans(const std::vector<wire::PhaseMark>& marks);
/// For an out-of-memory failure. The layer is found by its name.
widgets::Refusal toRefusal(const wire::Failed& failure, const std::vector<wire::LayerCost>& layers);

}  // namespace highwater::desktop
