#pragma once

#include <span>

#include "widgets/plot/memory_scene.h"

/// The values of the live plots as tables for the clipboard (see tabbed()), including those outside the view.
namespace highwater::widgets {

/// One row for each point: the time in milliseconds (or the number of the event), the bytes of each category,
/// the total, and what the allocator reserves (empty if it is not known).
QString memoryData(const MemoryTrack& track);
/// One row for each step: the bytes of its peak by category, and the total. Measured steps count from 1;
/// warm-up steps have numbers of 0 and below.
QString peakData(const RunShape& run, std::span<const StepBar> steps);
/// One row for each step: its time by phase and the total, in milliseconds.
QString timeData(const RunShape& run, std::span<const StepBar> steps);

}  // namespace highwater::widgets
