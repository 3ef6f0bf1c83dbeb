#pragma once

#include <optional>
#include <vector>

#include "app/desktop/experiment/bar/gauge.h"
#include "core/runs/run_store.h"
#include "core/wire/events.h"
#include "widgets/plot/live_plots.h"
#include "widgets/plot/plot_values.h"

/// Converts the engine's reports to the values that the plots take.
namespace highwater::desktop {

/// wire::Phase starts with Setup, the plots' phases start with data.
int plotPhaseOf(wire::Phase phase);
/// "run #2: batch 2, 48³": a short description of a run. `title` is "run #2".
QString runMark(const stack::Experiment& experiment, const QString& title);
widgets::RunShape toRunShape(const wire::Started& started);
widgets::StepBar toStepBar(const wire::StepDone& step);
widgets::PeakInfo toPeakInfo(const wire::PeakMoment& peak);
widgets::MemoryPoint toPoint(const wire::LedgerSample& sample);
std::vector<widgets::MemoryPoint> toPoints(const std::vector<wire::TimelinePoint>& timeline);
std::vector<widgets::PhaseSpan> toSpans(const std::vector<wire::PhaseMark>& marks);
/// For an out-of-memory failure. Finds the layer by its name.
widgets::Refusal toRefusal(const wire::Failed& failure, const std::vector<wire::LayerCost>& layers);

/// The gauge for a finished run, or for one that another window is measuring.
GaugeState gaugeOf(base::Bytes peak, std::optional<base::Bytes> budget, wire::RunStatus status,
                   std::optional<GaugeDevice> device);
std::optional<GaugeDevice> gaugeDevice(const std::optional<wire::DeviceMemory>& device);

/// A finished run as the plots show it; the caller sets its title.
widgets::StoredRun toStoredRun(const runs::RunRecord& run);
/// The device that it ran on.
const wire::Environment& environmentOf(const runs::RunRecord& run);

}  // namespace highwater::desktop
