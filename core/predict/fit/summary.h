#pragma once

#include <span>

#include "core/predict/walk.h"

/// What a walk's events add up to. Private to core/predict.
namespace highwater::predict {

/// The memory that lives while a walk's events pass by. Low and high are those of each block's own ends.
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

/// Fills in the peaks, what is left at the end, and the layers (but for times). The peak's split is the one
/// that the engine's accounting settles on: an output becomes an activation when its layer returns it.
void summarize(const Walk& walk, const stack::StackInfo& info, Prediction& prediction);

/// Adds to each block what the layers in it have.
void sumBlocks(const stack::StackInfo& info, std::vector<LayerPrediction>& layers);

/// The second step. `times` are operatorTimes; empty: no times.
std::vector<PredictedPoint> timelineOf(const Walk& walk, std::span<const TimeEstimate> times);

/// All events. With `times`, events have nanoseconds; without, numbers.
void writeTrace(const Walk& walk, const stack::StackInfo& info, std::span<const TimeEstimate> times,
                memory::Trace& trace);

}  // namespace highwater::predict
