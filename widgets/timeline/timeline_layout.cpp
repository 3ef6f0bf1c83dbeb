#include "widgets/timeline/timeline_layout.h"

#include <algorithm>

namespace highwater::widgets {

namespace {

constexpr double kAir = 1.06;
constexpr double kLeastBytes = 16;
constexpr double kNear = 1.5;  // times the peak; a higher budget does not extend the range

/// Moves [from, to] into [least, most], and shrinks it only if it does not fit.
void fit(double& from, double& to, double least, double most, double shortest) {
    const double room = most - least;
    if (to - from >= room * (1 - 1e-9)) {
        from = least;
        to = most;
        return;
    }
    const double length = std::max(to - from, std::min(shortest, room));
    if (length != to - from) {
        from = (from + to - length) / 2;
    }
    from = std::clamp(from, least, most - length);
    to = from + length;
}

}  // namespace

TimelineRange wholeRange(const TraceIndex& index, TimelineAxis axis, double room) {
    const TimelineAxis used = index.axis(axis);
    const auto most = static_cast<double>(std::max(index.totals()[index.peakState()], index.mostReserved()));
    const auto budget = static_cast<double>(index.trace().budget);
    const double peak = budget < most * kNear ? std::max(most, budget) : most;
    return {used, index.axisBegin(used), index.axisEnd(used), 0, std::max({kLeastBytes, peak * kAir, room})};
}

TimelineRange clamped(const TraceIndex& index, TimelineRange range, double room) {
    const TimelineRange whole = wholeRange(index, range.axis, room);
    range.axis = whole.axis;
    fit(range.from, range.to, whole.from, whole.to, range.axis == TimelineAxis::Events ? 2 : 1);
    fit(range.low, range.high, 0, whole.high, kLeastBytes);
    return range;
}

TimelineRange zoomedTime(TimelineRange range, double x, double factor) {
    range.from = x - (x - range.from) * factor;
    range.to = x + (range.to - x) * factor;
    return range;
}

TimelineRange zoomedBytes(TimelineRange range, double bytes, double factor) {
    range.low = bytes - (bytes - range.low) * factor;
    range.high = bytes + (range.high - bytes) * factor;
    return range;
}

TimelineRange moved(TimelineRange range, double dx, double dbytes) {
    range.from += dx;
    range.to += dx;
    range.low += dbytes;
    range.high += dbytes;
    return range;
}

std::vector<TimelineColumn> timelineColumns(const TraceIndex& index, TimelineAxis axis, double from,
                                            double to, int width) {
    std::vector<TimelineColumn> columns;
    if (width <= 0) {
        return columns;
    }
    columns.reserve(static_cast<std::size_t>(width));
    std::size_t first = index.stateAt(axis, from);
    while (first > 0 && index.begin(axis, first - 1) >= from) {
        --first;
    }
    for (int c = 1; c <= width; ++c) {
        const double end = from + (to - from) * c / width;
        const std::size_t next = index.stateAt(axis, end, first);
        std::size_t last = next;
        while (last > first && index.begin(axis, last) >= end) {
            --last;
        }
        columns.push_back(index.totals().of(first, last));
        first = std::min(last + 1, next);
    }
    return columns;
}

BandEnds bandEnds(const memory::Ledger& ledger) {
    BandEnds ends{};
    base::Bytes sum = 0;
    for (std::size_t c = 0; c < ends.size(); ++c) {
        ends[c] = sum += ledger.bytes[c];
    }
    return ends;
}

std::vector<BandEnds> columnBands(const TraceIndex& index, const std::vector<TimelineColumn>& columns) {
    std::vector<BandEnds> bands;
    bands.reserve(columns.size());
    for (std::size_t c = 0; c < columns.size(); ++c) {
        const bool same = c > 0 && columns[c].highest == columns[c - 1].highest;
        bands.push_back(same ? bands.back() : bandEnds(index.ledgerAt(columns[c].highest)));
    }
    return bands;
}

}  // namespace highwater::widgets
