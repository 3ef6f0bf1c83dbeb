#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/wire/events.h"

namespace highwater::wire {

/// Thins the points to at most `most` (>= 4): the first, the last, and the lowest and highest total in each
/// of equal spans of time, in order. The extremes, including the global maximum, are thus kept exactly. All
/// points are kept if there are at most `most`.
std::vector<TimelinePoint> thin(std::span<const TimelinePoint> points, std::size_t most);

}  // namespace highwater::wire
