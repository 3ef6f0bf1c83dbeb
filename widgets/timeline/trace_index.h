#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "core/base/result.h"
#include "core/memory/trace.h"
#include "widgets/timeline/pyramid.h"
#include "widgets/timeline/span_buckets.h"

namespace highwater::widgets {

/// What the x axis measures: nanoseconds (TraceEvent::time), or the number of events.
enum class TimelineAxis { Time, Events };

/// The life of a block, in states. State k is what holds after the first k events of the trace (0: before the
/// first).
struct BlockLife {
    std::uint32_t begin = 0, end = 0;  ///< lives in states [begin, end); equal: not in this part of the trace
    std::int16_t layer = -1;           ///< that allocated it
    memory::Category category = memory::Category::Temporaries;  ///< the last it had
    memory::Phase phase = memory::Phase::Setup;                 ///< in which it was allocated
    bool here() const { return begin < end; }
};

/// What a view of a trace needs so that any zoom costs time by its pixels and not by its events. Immutable;
/// read it from any thread. It takes about 31 bytes an event (measured: 30.4) (half of the events being
/// allocations) beside the trace's own 36.
class TraceIndex {
public:
    /// Called now and then with 0..1; returning false stops the work.
    using Progress = std::function<bool(double)>;
    /// Takes about 0.05 to 0.15 s a million events: not on the window's thread. Errors: a trace that makes no
    /// sense (memory::check), more than 2^32 - 2 events, "cancelled".
    static base::Result<std::shared_ptr<const TraceIndex>> build(std::shared_ptr<const memory::Trace> trace,
                                                                 const Progress& progress = {});

    const memory::Trace& trace() const { return *trace_; }
    std::size_t states() const { return totals_.size(); }
    const Pyramid& totals() const { return totals_; }
    const std::vector<Span>& spans() const { return spans_; }
    const BlockLife& life(std::uint32_t block) const { return lives_[block]; }
    std::size_t blocks() const { return lives_.size(); }
    base::Bytes bytes(std::uint32_t block) const { return trace_->blocks[block].bytes; }

    memory::Ledger ledgerAt(std::size_t state) const;
    using Counts = std::array<std::uint32_t, memory::kCategoryCount>;
    /// How many blocks live, by category.
    Counts countsAt(std::size_t state) const;
    /// The first state with the highest total.
    std::size_t peakState() const { return peakState_; }

    /// TimelineAxis::Events where the trace has no clock.
    TimelineAxis axis(TimelineAxis wanted) const { return trace_->timed ? wanted : TimelineAxis::Events; }
    /// Where a state begins on the axis; states() is the axis's end.
    double begin(TimelineAxis axis, std::size_t state) const;
    double axisBegin(TimelineAxis axis) const { return begin(axis, 0); }
    double axisEnd(TimelineAxis axis) const { return begin(axis, states()); }
    /// The last state that begins at or before x (0 where none does). `hint` is a state at or before it.
    std::size_t stateAt(TimelineAxis axis, double x, std::size_t hint = 0) const;
    /// How long a block lives, in the axis's measure.
    double length(TimelineAxis axis, std::uint32_t block) const {
        return begin(axis, lives_[block].end) - begin(axis, lives_[block].begin);
    }
    const SpanBuckets& buckets(TimelineAxis axis) const {
        return axis == TimelineAxis::Time && trace_->timed ? byTime_ : byEvents_;
    }

private:
    struct Mark {
        memory::Ledger ledger;
        Counts counts{};
    };
    class Builder;
    TraceIndex() = default;
    Mark markAt(std::size_t state) const;
    static constexpr std::size_t kMarkEvery = 32;

    std::shared_ptr<const memory::Trace> trace_;
    Pyramid totals_;                      // 8.3 bytes an event
    std::vector<Mark> marks_;             // of states 0, 32, 64, ...; 2.6
    std::vector<memory::Category> from_;  // an event's category before it (retagging); 1
    std::vector<Span> spans_;             // by begin; 16 bytes each
    std::vector<BlockLife> lives_;        // 12 bytes each
    SpanBuckets byEvents_, byTime_;       // 4 bytes a span each
    std::size_t peakState_ = 0;
};

}  // namespace highwater::widgets
