#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "widgets/timeline/trace_index.h"

namespace highwater::widgets {

/// The part of a trace in view: [from, to) of the x axis, and the bytes [low, high] of the stacked memory.
struct TimelineRange {
    TimelineAxis axis = TimelineAxis::Time;
    double from = 0, to = 1;
    double low = 0, high = 1;
    bool operator==(const TimelineRange&) const = default;
};

/// The range of the whole trace, with some room above the peak of what is in use or reserved. If `room` is
/// larger, it extends to that many bytes, so that two traces can share a scale.
TimelineRange wholeRange(const TraceIndex& index, TimelineAxis axis, double room = 0);
/// The range limited to the trace, with at least two events (Events) or one nanosecond (Time) in view. The
/// same for bytes, with at least 16 in view.
TimelineRange clamped(const TraceIndex& index, TimelineRange range, double room = 0);
/// The range zoomed by `factor` (below 1 zooms in) about the fixed point `x`.
TimelineRange zoomedTime(TimelineRange range, double x, double factor);
TimelineRange zoomedBytes(TimelineRange range, double bytes, double factor);
TimelineRange moved(TimelineRange range, double dx, double dbytes);

/// One column of pixels: the states with the lowest and the highest total (the first if equal) among all
/// states within the column, however short.
using TimelineColumn = Pyramid::Extremes;
std::vector<TimelineColumn> timelineColumns(const TraceIndex& index, TimelineAxis axis, double from,
                                            double to, int width);

/// The upper ends of the categories' bands at a state, bottom first: ends[c] includes all bands up to c.
using BandEnds = std::array<base::Bytes, memory::kCategoryCount>;
BandEnds bandEnds(const memory::Ledger& ledger);
/// The band ends of the `highest` state of each column.
std::vector<BandEnds> columnBands(const TraceIndex& index, const std::vector<TimelineColumn>& columns);

/// A block in the columns [left, right), at one height.
struct BlockCell {
    std::uint32_t span = 0;   ///< index into TraceIndex::spans()
    int left = 0, right = 0;  ///< columns
    base::Bytes bottom = 0;   ///< bytes below it in the stack
    bool begins = false;      ///< the block was allocated here, rather than moved
};

/// The individual blocks in a view. In each column, the stack is that of its `highest` state: the categories
/// in their order; within each, the shown blocks by their begin (older ones below); and above those, without
/// cells, everything too small to be drawn. So bands and blocks of a view agree in every pixel, a block grows
/// out of its band when the user zooms into it, and blocks move only if an older block of their category ends
/// or a category below changes.
struct BlockLayout {
    std::vector<BlockCell> cells;      ///< ordered by the column in which they begin
    std::vector<std::uint32_t> shown;  ///< the spans that have cells, ascending
    double leastBytes = 0;             ///< smaller blocks are not drawn individually
    double leastLength = 0;            ///< shorter ones are not drawn individually (in the unit of the axis)
};

/// The smallest blocks that are drawn individually.
struct BlockFloor {
    double heightPixels = 2, widthPixels = 3;
    /// The maximum number of cells to visit. If there are more blocks to draw, the minimum size in bytes is
    /// raised.
    double mostWork = 400'000;
};
/// `columns` and `bands` are timelineColumns and columnBands of the same range; `height` is the height of
/// [low, high] in pixels. The work is bounded by the number of pixels and by mostWork, not by the number of
/// events.
BlockLayout layoutBlocks(const TraceIndex& index, const TimelineRange& range,
                         const std::vector<TimelineColumn>& columns, const std::vector<BandEnds>& bands,
                         int height, const BlockFloor& floor = {});

}  // namespace highwater::widgets
