#pragma once

#include <span>

#include "core/predict/walk.h"

/// Sums up a walk's events. Private to core/predict.
namespace highwater::predict {

/// The live memory while a walk's events are passed in order. `low` and `high` are sums of the low and high
/// ends of each block.
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
