#pragma once

#include <algorithm>
#include <span>

#include "core/memory/trace.h"
#include "core/predict/fit/prediction.h"
#include "core/predict/ghost/walk.h"

/// Sums up a walk's events. Private to core/predict.
namespace highwater::predict {

/// The live memory at each point of a walk's events. `low` and `high` are sums of the low and high ends of
/// each block.
class Live {
public:
    explicit Live(const Walk& walk) : walk_(walk) {}

    void pass(const WalkEvent& event) {
        const Estimate& bytes = walk_.blocks[event.block].bytes;
        if (event.kind == WalkEvent::Kind::Retag) {
            ledger_[event.from] -= bytes.expected;
            ledger_[event.category] += bytes.expected;
            return;
        }
        const base::Bytes sign = event.kind == WalkEvent::Kind::Allocate ? 1 : -1;
        ledger_[event.category] += sign * bytes.expected;
        total_.low += sign * bytes.low;
        total_.expected += sign * bytes.expected;
        total_.high += sign * bytes.high;
    }

    const memory::Ledger& ledger() const { return ledger_; }
    const Estimate& total() const { return total_; }

private:
    const Walk& walk_;
    memory::Ledger ledger_;
    Estimate total_;
};

/// Raises each of the three figures to at least that of `value`.
inline void raise(Estimate& highest, const Estimate& value) {
    highest.low = std::max(highest.low, value.low);
    highest.expected = std::max(highest.expected, value.expected);
    highest.high = std::max(highest.high, value.high);
}

/// Tracks the peak of the given events like the engine's accounting: an output becomes an activation only
/// when its layer returns it, so retags in the same place count.
class Peak {
public:
    void after(const WalkEvent& event, std::size_t index, const Live& live) {
        const base::Bytes total = live.total().expected;
        if (event.step == 1) {
            second_ = std::max(second_, total);
        }
        if (event.kind == WalkEvent::Kind::Allocate && total > highest_) {
            highest_ = total;
            at_ = index;
            phase_ = event.phase;
            layer_ = event.layer;
            ledger_ = live.ledger();
        } else if (event.kind == WalkEvent::Kind::Retag && total == highest_ && event.phase == phase_ &&
                   event.layer == layer_) {
            ledger_ = live.ledger();
        }
    }

    void fill(Prediction& prediction) const {
        prediction.peakByCategory = ledger_;
        prediction.peakPhase = phase_;
        prediction.peakLayer = layer_;
        prediction.peakInFirstStep = highest_ > second_;
    }
    std::size_t at() const { return at_; }
    const memory::Ledger& ledger() const { return ledger_; }
    memory::Phase phase() const { return phase_; }
    int layer() const { return layer_; }

private:
    base::Bytes highest_ = 0, second_ = 0;  ///< of the whole walk, and of the second step
    std::size_t at_ = 0;
    memory::Phase phase_ = memory::Phase::Setup;
    int layer_ = -1;
    memory::Ledger ledger_;
};

/// Fills in the peaks, the memory left at the end, and the layers (except times). The split of the peak is
/// the one in the engine's own accounting: an output becomes an activation only when its layer returns it.
void summarize(const Walk& walk, const stack::StackInfo& info, Prediction& prediction);

/// Adds to each block the sums over the layers in it.
void sumBlocks(const stack::StackInfo& info, std::vector<LayerPrediction>& layers);

/// Returns the timeline of the second step. `times`: the result of operatorTimes, or empty for no times.
std::vector<PredictedPoint> timelineOf(const Walk& walk, std::span<const TimeEstimate> times);

/// Writes all events. With `times`, event times are nanoseconds; without, they are event numbers.
void writeTrace(const Walk& walk, const stack::StackInfo& info, std::span<const TimeEstimate> times,
                memory::Trace& trace);

}  // namespace highwater::predict
