#pragma once

#include "app/desktop/study/sweep/sweep_link.h"
#include "widgets/plot/chart_scene.h"

namespace highwater::desktop {

/// The hover card of a cell: its figures, and whether they are measured.
widgets::HoverCard sweepCard(const SweepRows& rows, const SweepCell& cell);
/// Cells as a table for the clipboard (see tabbed()): the axes, the figures in bytes, milliseconds and
/// samples a second, each with whether it is estimated, and the state.
QString sweepData(const SweepRows& rows, const std::vector<int>& cells);

}  // namespace highwater::desktop
