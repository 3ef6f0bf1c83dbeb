#pragma once

#include <span>

#include "widgets/plot/memory_scene.h"

/// The live plots' values as tabbed() writes them, all of them and not only what is in sight.
namespace highwater::widgets {

/// A row a point: the time in milliseconds (or the event's number), each category, the total and what the
/// allocator reserves (empty where it is not known), in bytes.
QString memoryData(const MemoryTrack& track);
/// A row a step: its peak by category and in all, in bytes. Steps count from 1, warm-up from 0 downwards.
QString peakData(const RunShape& run, std::span<const StepBar> steps);
/// A row a step: its time by phase and in all, in milliseconds.
QString timeData(const RunShape& run, std::span<const StepBar> steps);

}  // namespace highwater::widgets
