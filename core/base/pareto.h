#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace highwater::base {

struct Point {
    double x = 0, y = 0;
};
/// Indices of the points that no other point beats in both coordinates (less is better; equal points all
/// stay), by ascending x.
std::vector<std::size_t> paretoFront(std::span<const Point> points);

}  // namespace highwater::base
