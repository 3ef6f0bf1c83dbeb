#pragma once

#include <optional>
#include <vector>

#include "app/desktop/experiment/bar/gauge.h"
#include "core/runs/run_store.h"
#include "core/wire/events.h"
#include "widgets/plot/live_plots.h"
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

/// The gauge of a run that has ended, or that another window measures.
GaugeState gaugeOf(base::Bytes peak, std::optional<base::Bytes> budget, wire::RunStatus status,
                   std::optional<GaugeDevice> device);
std::optional<GaugeDevice> gaugeDevice(const std::optional<wire::DeviceMemory>& device);

/// A run that is over, as the plots show it; what it is called is left to the caller.
widgets::StoredRun toStoredRun(const runs::RunRecord& run);
/// What it ran on.
const wire::Environment& environmentOf(const runs::RunRecord& run);

}  // namespace highwater::desktop
