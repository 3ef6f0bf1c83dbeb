#include "core/wire/timeline.h"

#include <algorithm>

namespace highwater::wire {

std::vector<TimelinePoint> thin(std::span<const TimelinePoint> points, std::size_t most) {
    if (points.size() <= most) {
        return {points.begin(), points.end()};
    }
    const std::size_t spans = (most - 2) / 2;
    const double begin = points.front().time, length = points.back().time - begin;
    const auto spanOf = [&](std::size_t i) {
        if (length <= 0) {
            return i * spans / points.size();
        }
        return std::min(static_cast<std::size_t>((points[i].time - begin) / length * double(spans)),
                        spans - 1);
    };

    std::vector<TimelinePoint> kept{points.front()};
    for (std::size_t i = 1; i + 1 < points.size();) {
        const std::size_t span = spanOf(i);
        std::size_t low = i, high = i;
        base::Bytes lowest = points[i].ledger.total(), highest = lowest;
        for (; i + 1 < points.size() && spanOf(i) == span; ++i) {
            const base::Bytes total = points[i].ledger.total();
            if (total < lowest) {
                low = i, lowest = total;
            }
            if (total > highest) {
                high = i, highest = total;
            }
        }
        kept.push_back(points[std::min(low, high)]);
        if (low != high) {
            kept.push_back(points[std::max(low, high)]);
        }
    }
    kept.push_back(points.back());
    return kept;
}

}  // namespace highwater::wire
