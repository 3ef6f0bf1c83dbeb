#include <algorithm>
#include <cmath>

#include "widgets/timeline/timeline_layout.h"

namespace highwater::widgets {

namespace {

using memory::kCategoryCount;

/// The spans of a bucket that can overlap the view. They are sorted by begin, and none is longer than the
/// bucket's level allows.
class Candidates {
public:
    Candidates(const TraceIndex& index, const TimelineRange& range) : index_(index), range_(range) {
        end_ = index.stateAt(range.axis, range.to) + 1;
        for (int level = 0; level < SpanBuckets::kLevels; ++level) {
            begins_[static_cast<std::size_t>(level)] =
                index.stateAt(range.axis, range.from - std::ldexp(1.0, level + 1));
        }
    }

    std::span<const std::uint32_t> in(int bytesLevel, int lengthLevel) const {
        const auto bucket = index_.buckets(range_.axis).at(bytesLevel, lengthLevel);
        const auto before = [this](std::uint32_t span, std::size_t state) {
            return index_.spans()[span].begin < state;
        };
        const auto first = std::lower_bound(bucket.begin(), bucket.end(),
                                            begins_[static_cast<std::size_t>(lengthLevel)], before);
        return {first, std::lower_bound(first, bucket.end(), end_, before)};
    }

private:
    const TraceIndex& index_;
    const TimelineRange& range_;
    std::size_t end_ = 0;
    std::array<std::size_t, SpanBuckets::kLevels> begins_{};
};

/// The spans to draw, ascending, and the resulting lower limit of their size.
void choose(const TraceIndex& index, const TimelineRange& range, std::size_t columns, const BlockFloor& floor,
            BlockLayout& layout) {
    const Candidates candidates(index, range);
    const double perColumn = (range.to - range.from) / static_cast<double>(columns);
    const auto states =
        static_cast<double>(index.stateAt(range.axis, range.to) - index.stateAt(range.axis, range.from) + 1);
    const int shortest = SpanBuckets::level(layout.leastLength);
    double work = 0;
    int least = SpanBuckets::kLevels;
    const int wanted = SpanBuckets::level(layout.leastBytes);
    while (least > wanted) {
        double more = 0;
        for (int length = shortest; length < SpanBuckets::kLevels; ++length) {
            const double pixels = std::ldexp(1.0, length + 1) / perColumn;
            more += static_cast<double>(candidates.in(least - 1, length).size()) *
                    std::min({pixels, static_cast<double>(columns), states});
        }
        if (work + more > floor.mostWork) {
            break;
        }
        work += more;
        --least;
    }
    if (least > wanted) {
        layout.leastBytes = std::ldexp(1.0, least);
    }
    const auto from = index.stateAt(range.axis, range.from);
    for (int bytes = least; bytes < SpanBuckets::kLevels; ++bytes) {
        for (int length = shortest; length < SpanBuckets::kLevels; ++length) {
            for (const std::uint32_t s : candidates.in(bytes, length)) {
                const Span& span = index.spans()[s];
                if (span.end > from && static_cast<double>(index.bytes(span.block)) >= layout.leastBytes &&
                    index.begin(range.axis, span.end) - index.begin(range.axis, span.begin) >=
                        layout.leastLength) {
                    layout.shown.push_back(s);
                }
            }
        }
    }
    std::sort(layout.shown.begin(), layout.shown.end());
}

/// Sweeps the columns from left to right, tracking the blocks alive in each.
class Sweep {
public:
    Sweep(const TraceIndex& index, const TimelineRange& range, BlockLayout& layout)
        : index_(index), range_(range), layout_(layout) {}

    void to(int column, std::size_t state, const BandEnds& ends) {
        while (next_ < layout_.shown.size() && index_.spans()[layout_.shown[next_]].begin <= state) {
            const Span& span = index_.spans()[layout_.shown[next_]];
            if (span.end > state) {
                alive_[static_cast<std::size_t>(span.category)].push_back(
                    {layout_.shown[next_], kNone, false});
            }
            ++next_;
        }
        for (std::size_t c = 0; c < kCategoryCount; ++c) {
            stack(alive_[c], c == 0 ? 0 : ends[c - 1], column, state);
        }
    }

    void finish(int columns) {
        for (auto& alive : alive_) {
            for (Alive& each : alive) {
                close(each, columns);
            }
        }
    }

private:
    static constexpr std::uint32_t kNone = ~std::uint32_t{0};
    struct Alive {
        std::uint32_t span = 0;
        std::uint32_t cell = kNone;  // the open cell
        bool seen = false;
    };

    void close(Alive& each, int column) {
        if (each.cell != kNone) {
            layout_.cells[each.cell].right = column;
        }
        each.cell = kNone;
    }

    void stack(std::vector<Alive>& alive, base::Bytes bottom, int column, std::size_t state) {
        std::size_t kept = 0;
        for (Alive& each : alive) {
            const Span& span = index_.spans()[each.span];
            if (span.end <= state) {
                close(each, column);
                continue;
            }
            const base::Bytes bytes = index_.bytes(span.block);
            place(each, bottom, bytes, column);
            bottom += bytes;
            alive[kept++] = each;
        }
        alive.resize(kept);
    }

    void place(Alive& each, base::Bytes bottom, base::Bytes bytes, int column) {
        const bool visible =
            static_cast<double>(bottom)<range_.high&& static_cast<double>(bottom + bytes)> range_.low;
        if (each.cell != kNone && visible && layout_.cells[each.cell].bottom == bottom) {
            return;
        }
        close(each, column);
        if (!visible) {
            return;
        }
        const bool begins =
            !each.seen && index_.begin(range_.axis, index_.spans()[each.span].begin) >= range_.from;
        each.cell = static_cast<std::uint32_t>(layout_.cells.size());
        each.seen = true;
        layout_.cells.push_back({each.span, column, column, bottom, begins});
    }

    const TraceIndex& index_;
    const TimelineRange& range_;
    BlockLayout& layout_;
    std::size_t next_ = 0;
    std::array<std::vector<Alive>, kCategoryCount> alive_;
};

}  // namespace

BlockLayout layoutBlocks(const TraceIndex& index, const TimelineRange& range,
                         const std::vector<TimelineColumn>& columns, const std::vector<BandEnds>& bands,
                         int height, const BlockFloor& floor) {
    BlockLayout layout;
    if (columns.empty() || height <= 0) {
        return layout;
    }
    layout.leastBytes = std::max(1.0, (range.high - range.low) / height * floor.heightPixels);
    layout.leastLength = (range.to - range.from) / static_cast<double>(columns.size()) * floor.widthPixels;
    choose(index, range, columns.size(), floor, layout);
    Sweep sweep(index, range, layout);
    for (std::size_t c = 0; c < columns.size(); ++c) {
        if (c == 0 || columns[c].highest != columns[c - 1].highest) {
            sweep.to(static_cast<int>(c), columns[c].highest, bands[c]);
        }
    }
    sweep.finish(static_cast<int>(columns.size()));
    return layout;
}

}  // namespace highwater::widgets
