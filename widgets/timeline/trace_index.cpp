#include "widgets/timeline/trace_index.h"

#include <algorithm>
#include <limits>

namespace highwater::widgets {

using memory::Category;
using memory::TraceEvent;

/// A single pass over the events: totals, marks, spans and lives.
class TraceIndex::Builder {
public:
    Builder(TraceIndex& index, const Progress& progress)
        : index_(index), trace_(*index.trace_), progress_(progress) {}

    bool run() {
        const std::size_t events = trace_.events.size();
        index_.lives_.resize(trace_.blocks.size());
        open_.resize(trace_.blocks.size());
        index_.from_.resize(events);
        totals_.resize(events + 1);
        index_.marks_.reserve(events / kMarkEvery + 1);
        for (const memory::TraceAlive& each : trace_.alive) {
            begin(each.block, 0, each.layer, each.category, memory::Phase::Setup);
        }
        for (std::size_t i = 0;; ++i) {
            totals_[i] = mark_.ledger.total();
            if (i % kMarkEvery == 0) {
                index_.marks_.push_back(mark_);
            }
            if (i == events) {
                break;
            }
            if (i % 65536 == 0 && progress_ &&
                !progress_(0.8 * static_cast<double>(i) / static_cast<double>(events))) {
                return false;
            }
            take(i, trace_.events[i]);
        }
        finish(static_cast<std::uint32_t>(events + 1));
        return !progress_ || progress_(0.85);
    }

private:
    void take(std::size_t i, const TraceEvent& event) {
        const auto state = static_cast<std::uint32_t>(i + 1);
        if (event.kind == TraceEvent::Kind::Allocate) {
            index_.from_[i] = event.category;
            begin(event.block, state, event.layer, event.category, event.phase);
            return;
        }
        const Span last = index_.spans_[open_[event.block]];
        index_.from_[i] = last.category;
        close(event.block, state);
        if (event.kind == TraceEvent::Kind::Retag) {
            addSpan(event.block, state, last.layer, event.category);
            index_.lives_[event.block].category = event.category;
        } else {
            index_.lives_[event.block].end = state;
        }
    }

    void begin(std::uint32_t block, std::uint32_t state, std::int16_t layer, Category category,
               memory::Phase phase) {
        index_.lives_[block] = {state, std::numeric_limits<std::uint32_t>::max(), layer, category, phase};
        addSpan(block, state, layer, category);
    }

    void addSpan(std::uint32_t block, std::uint32_t state, std::int16_t layer, Category category) {
        open_[block] = static_cast<std::uint32_t>(index_.spans_.size());
        index_.spans_.push_back({block, state, std::numeric_limits<std::uint32_t>::max(), layer, category});
        mark_.ledger[category] += trace_.blocks[block].bytes;
        ++mark_.counts[static_cast<std::size_t>(category)];
    }

    void close(std::uint32_t block, std::uint32_t state) {
        Span& span = index_.spans_[open_[block]];
        span.end = state;
        mark_.ledger[span.category] -= trace_.blocks[block].bytes;
        --mark_.counts[static_cast<std::size_t>(span.category)];
    }

    /// Blocks that are still alive end with the trace.
    void finish(std::uint32_t states) {
        for (Span& span : index_.spans_) {
            span.end = std::min(span.end, states);
        }
        for (BlockLife& life : index_.lives_) {
            life.end = std::min(life.end, states);
        }
        index_.totals_ = Pyramid(std::move(totals_));
        index_.peakState_ = index_.totals_.of(0, states - 1).highest;
        for (const memory::TraceReserved& each : trace_.reserved) {
            index_.mostReserved_ = std::max(index_.mostReserved_, each.bytes);
        }
    }

    TraceIndex& index_;
    const memory::Trace& trace_;
    const Progress& progress_;
    std::vector<std::uint32_t> open_;  // a block's latest span
    std::vector<base::Bytes> totals_;
    Mark mark_;
};

base::Result<std::shared_ptr<const TraceIndex>> TraceIndex::build(std::shared_ptr<const memory::Trace> trace,
                                                                  const Progress& progress) {
    if (trace->events.size() >= std::numeric_limits<std::uint32_t>::max() - 1) {
        return base::Error{"more than 4,294,967,293 events: open a range of them"};
    }
    HIGHWATER_TRY(memory::check(*trace));
    const std::shared_ptr<TraceIndex> index(new TraceIndex);
    index->trace_ = std::move(trace);
    if (!Builder(*index, progress).run()) {
        return base::Error{"cancelled"};
    }
    const auto bytes = [&i = *index](std::size_t s) { return i.bytes(i.spans_[s].block); };
    const auto length = [&i = *index](TimelineAxis axis) {
        return [&i, axis](std::size_t s) {
            return i.begin(axis, i.spans_[s].end) - i.begin(axis, i.spans_[s].begin);
        };
    };
    index->byEvents_ = SpanBuckets(index->spans_.size(), bytes, length(TimelineAxis::Events));
    if (index->trace_->timed) {
        index->byTime_ = SpanBuckets(index->spans_.size(), bytes, length(TimelineAxis::Time));
    }
    if (progress && !progress(1.0)) {
        return base::Error{"cancelled"};
    }
    return std::shared_ptr<const TraceIndex>(index);
}

double TraceIndex::begin(TimelineAxis axis, std::size_t state) const {
    const auto& events = trace_->events;
    if (axis == TimelineAxis::Events || events.empty()) {
        return static_cast<double>(state);
    }
    const auto first = static_cast<double>(events.front().time);
    if (state == 0) {
        return first;
    }
    if (state <= events.size()) {
        return static_cast<double>(events[state - 1].time);
    }
    // The final state needs some width to be visible: a hundredth of the whole.
    const auto last = static_cast<double>(events.back().time);
    return last + std::max(1.0, (last - first) * 0.01);
}

std::size_t TraceIndex::stateAt(TimelineAxis axis, double x, std::size_t hint) const {
    const std::size_t last = states() - 1;
    if (!(x > begin(axis, hint))) {
        hint = 0;
    }
    if (axis == TimelineAxis::Events || trace_->events.empty()) {
        return static_cast<std::size_t>(std::clamp(x, 0.0, static_cast<double>(last)));
    }
    std::size_t low = hint, step = 1;  // the answer is at or after low
    while (low + step <= last && begin(axis, low + step) <= x) {
        low += step;
        step *= 2;
    }
    for (std::size_t high = std::min(low + step, last + 1); high - low > 1;) {
        const std::size_t middle = low + (high - low) / 2;
        (begin(axis, middle) <= x ? low : high) = middle;
    }
    return low;
}

TraceIndex::Mark TraceIndex::markAt(std::size_t state) const {
    Mark mark = marks_[state / kMarkEvery];
    for (std::size_t i = state / kMarkEvery * kMarkEvery; i < state; ++i) {
        const TraceEvent& event = trace_->events[i];
        const base::Bytes bytes = trace_->blocks[event.block].bytes;
        if (event.kind != TraceEvent::Kind::Allocate) {
            mark.ledger[from_[i]] -= bytes;
            --mark.counts[static_cast<std::size_t>(from_[i])];
        }
        if (event.kind != TraceEvent::Kind::Free) {
            mark.ledger[event.category] += bytes;
            ++mark.counts[static_cast<std::size_t>(event.category)];
        }
    }
    return mark;
}

memory::Ledger TraceIndex::ledgerAt(std::size_t state) const {
    return markAt(state).ledger;
}

TraceIndex::Counts TraceIndex::countsAt(std::size_t state) const {
    return markAt(state).counts;
}

}  // namespace highwater::widgets
