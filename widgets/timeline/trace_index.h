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

/// The life of a block, in states. State k is the memory after the first k events of the trace; state 0 is
/// that before the first event.
struct BlockLife {
    /// It lives in the states [begin, end). If both are equal, it does not occur in this part of the trace.
    std::uint32_t begin = 0, end = 0;
    std::int16_t layer = -1;                                    ///< the layer that allocated it
    memory::Category category = memory::Category::Temporaries;  ///< its last category
    memory::Phase phase = memory::Phase::Setup;                 ///< the phase in which it was allocated
    bool here() const { return begin < end; }
};

/// An index of a trace. With it, the time to draw any view depends on the number of pixels and not on the
/// number of events. It is immutable and can be read from any thread. It takes about 31 bytes per event
/// (measured: 30.4, with half of the events being allocations) in addition to the trace's own 36.
class TraceIndex {
public:
    /// Called periodically with the fraction done, 0..1. Returning false cancels the work.
    using Progress = std::function<bool(double)>;
    /// Builds the index. Takes about 0.05 to 0.15 s for a million events, so it must not be called on the
    /// window's thread. Errors: an inconsistent trace (memory::check), more than 2^32 - 2 events,
    /// "cancelled".
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
    /// The number of live blocks, by category.
    Counts countsAt(std::size_t state) const;
    /// The first state with the highest total.
    std::size_t peakState() const { return peakState_; }
    /// The maximum that the allocator ever reserved on the device; 0 if unknown.
    base::Bytes mostReserved() const { return mostReserved_; }

    /// The requested axis, or TimelineAxis::Events if the trace has no times.
    TimelineAxis axis(TimelineAxis wanted) const { return trace_->timed ? wanted : TimelineAxis::Events; }
    /// The position on the axis where a state begins; for states() it is the end of the axis.
    double begin(TimelineAxis axis, std::size_t state) const;
    double axisBegin(TimelineAxis axis) const { return begin(axis, 0); }
    double axisEnd(TimelineAxis axis) const { return begin(axis, states()); }
    /// The last state that begins at or before x; 0 if there is none. `hint`, a state at or before it, speeds
    /// up the search.
    std::size_t stateAt(TimelineAxis axis, double x, std::size_t hint = 0) const;
    /// The length of a block's life, in the unit of the axis.
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
    Pyramid totals_;           // total memory of each state; 8.3 bytes per event
    std::vector<Mark> marks_;  // ledgers of the states 0, 32, 64, ...; 2.6 bytes per event
    // Category of each event's block before the event (retagging); 1 byte per event.
    std::vector<memory::Category> from_;
    std::vector<Span> spans_;        // ordered by begin; 16 bytes each
    std::vector<BlockLife> lives_;   // 12 bytes each
    SpanBuckets byEvents_, byTime_;  // 4 bytes per span each
    std::size_t peakState_ = 0;
    base::Bytes mostReserved_ = 0;
};

}  // namespace highwater::widgets
