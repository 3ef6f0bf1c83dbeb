#pragma once

#include <vector>

#include "core/wire/events.h"
#include "widgets/plot/plot_values.h"

/// What the engine says, as the values that the plots take.
namespace highwater::desktop {

widgets::RunShape toRunShape(const wire::Started& started);
widgets::StepBar toStepBar(const wire::StepDone& step);
widgets::PeakInfo toPeakInfo(const wire::PeakMoment& peak);
std::vector<widgets::MemoryPoint> toPoints(const std::vector<wire::TimelinePoint>& timeline);
std::vector<widgets::PhaseSpan> toSpans(const std::vector<wire::PhaseMark>& marks);
/// Of an out-of-memory failure; the layer is found by its name.
widgets::Refusal toRefusal(const wire::Failed& failure, const std::vector<wire::LayerCost>& layers);

}  // namespace highwater::desktop
