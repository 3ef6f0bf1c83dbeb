#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "widgets/timeline/trace_index.h"

namespace highwater::widgets {

/// The part of a trace that is looked at: [from, to) of the axis, bytes [low, high] of the stack.
struct TimelineRange {
    TimelineAxis axis = TimelineAxis::Time;
    double from = 0, to = 1;
    double low = 0, high = 1;
    bool operator==(const TimelineRange&) const = default;
};

/// All of it, with a little air above the peak.
TimelineRange wholeRange(const TraceIndex& index, TimelineAxis axis);
/// Within the trace: not before its begin, not after its end, no nearer than two events (Events) or a
/// nanosecond (Time) a view, no further than all of it; bytes likewise (16 bytes at least).
TimelineRange clamped(const TraceIndex& index, TimelineRange range);
/// Zoomed by `factor` (below 1: in) so that what is at `x` stays where it is.
TimelineRange zoomedTime(TimelineRange range, double x, double factor);
TimelineRange zoomedBytes(TimelineRange range, double bytes, double factor);
TimelineRange moved(TimelineRange range, double dx, double dbytes);

/// One pixel column: the states with the lowest and the highest total of all that hold within it, however
/// shortly (of equal ones the first).
using TimelineColumn = Pyramid::Extremes;
std::vector<TimelineColumn> timelineColumns(const TraceIndex& index, TimelineAxis axis, double from,
                                            double to, int width);

/// Where the categories' bands end at a state, bottom first: ends[c] includes all bands up to c.
using BandEnds = std::array<base::Bytes, memory::kCategoryCount>;
BandEnds bandEnds(const memory::Ledger& ledger);
/// Of each column's `highest` state.
std::vector<BandEnds> columnBands(const TraceIndex& index, const std::vector<TimelineColumn>& columns);

/// A block in columns [left, right), at one height.
struct BlockCell {
    std::uint32_t span = 0;   ///< place in TraceIndex::spans()
    int left = 0, right = 0;  ///< columns
    base::Bytes bottom = 0;   ///< where it begins in the stack
    bool begins = false;      ///< the block begins here (it did not just move)
};

/// The single blocks of a view. In each column the stack is the one of its `highest` state: the categories
/// in their order, within each the shown blocks by their begin (older below), and above them, without cells,
/// what is too small to be told apart. So a view's bands and blocks agree in every pixel, a block that is
/// zoomed into grows out of its band, and blocks move only when an older one of their category ends or a
/// category below changes.
struct BlockLayout {
    std::vector<BlockCell> cells;      ///< by column of their begin
    std::vector<std::uint32_t> shown;  ///< the spans that have cells, ascending
    double leastBytes = 0;             ///< smaller blocks are not shown one by one
    double leastLength = 0;            ///< nor shorter ones (the axis's measure)
};

struct BlockFloor {
    double heightPixels = 2, widthPixels = 3;
    /// Most cells looked at: where more blocks than that are to be seen, the floor of bytes rises.
    double mostWork = 400'000;
};
/// `columns` and `bands` are timelineColumns and columnBands of the same range; `height` is what [low, high]
/// has, in pixels. Work is bounded by the pixels and by mostWork, not by the events.
BlockLayout layoutBlocks(const TraceIndex& index, const TimelineRange& range,
                         const std::vector<TimelineColumn>& columns, const std::vector<BandEnds>& bands,
                         int height, const BlockFloor& floor = {});

}  // namespace highwater::widgets
