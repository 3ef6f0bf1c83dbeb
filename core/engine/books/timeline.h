#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/wire/events.h"

namespace highwater::engine {

/// At most `most` (>= 4) of the points: the first, the last, and the lowest and highest total of each of
/// equal spans of time, in order. So the curve's extremes, its global maximum among them, are kept exactly;
/// with at most `most` points, all are.
std::vector<wire::TimelinePoint> thin(std::span<const wire::TimelinePoint> points, std::size_t most);

}  // namespace highwater::engine
