#include "core/base/pareto.h"

#include <algorithm>
#include <numeric>

namespace highwater::base {

std::vector<std::size_t> paretoFront(std::span<const Point> points) {
    std::vector<std::size_t> order(points.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t l, std::size_t r) {
        return points[l].x != points[r].x ? points[l].x < points[r].x : points[l].y < points[r].y;
    });
    std::vector<std::size_t> front;
    for (const std::size_t i : order) {
        const Point* const last = front.empty() ? nullptr : &points[front.back()];
        if (!last || points[i].y < last->y || (points[i].x == last->x && points[i].y == last->y)) {
            front.push_back(i);
        }
    }
    return front;
}

}  // namespace highwater::base
