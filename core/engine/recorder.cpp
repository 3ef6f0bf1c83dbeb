#include "core/engine/recorder.h"

#include <algorithm>

#include "core/engine/torch_compat.h"

namespace highwater::engine {

Recorder::Recorder(Accounting& accounting, std::size_t layers) : accounting_(accounting) {
    times_.forward.resize(layers);
    times_.backward.resize(layers);
    activationBytes_.resize(layers);
    owners_.reserve(4 * layers + 16);
    listenToBackward(
        [](void* self, std::int64_t sequence) { static_cast<Recorder*>(self)->backwardNode(sequence); },
        this);
}

Recorder::~Recorder() {
    listenToBackward(nullptr, nullptr);
}

void Recorder::beginStep(int index, bool record) {
    times_.phases = {};
    std::fill(times_.forward.begin(), times_.forward.end(), 0.0F);
    std::fill(times_.backward.begin(), times_.backward.end(), 0.0F);
    owners_.clear();
    accounting_.beginStep(index, record);
    phase_ = Phase::Data;
    layer_ = -1;
    last_ = Accounting::Clock::now();
}

const Recorder::StepTimes& Recorder::endStep() {
    credit();
    return times_;
}

void Recorder::enter(Phase phase, int layer) {
    credit();
    phase_ = phase;
    layer_ = layer;
    accounting_.enter(phase, layer);
    accounting_.checkCancel();
}

void Recorder::nodesBelongTo(int layer) {
    owners_.emplace_back(static_cast<std::int64_t>(nextSequence()), layer);
}

void Recorder::layerKept(int layer, Bytes bytes) {
    activationBytes_[static_cast<std::size_t>(layer)] = bytes;
}

void Recorder::credit() {
    const auto now = Accounting::Clock::now();
    const double spent = std::chrono::duration<double, std::milli>(now - last_).count();
    last_ = now;
    const auto layer = static_cast<std::size_t>(layer_);
    switch (phase_) {
        case Phase::Forward:
            times_.phases.forward += spent;
            if (layer_ >= 0)
                times_.forward[layer] += static_cast<float>(spent);
            break;
        case Phase::Backward:
            times_.phases.backward += spent;
            if (layer_ >= 0)
                times_.backward[layer] += static_cast<float>(spent);
            break;
        case Phase::Recompute:
            times_.phases.recompute += spent;
            break;
        case Phase::Optimizer:
            times_.phases.optimizer += spent;
            break;
        case Phase::Data:
        case Phase::Setup:
            times_.phases.data += spent;
            break;
    }
}

// Nodes without a number of their own (AccumulateGrad) stay with the layer before.
void Recorder::backwardNode(std::int64_t sequence) {
    if (phase_ != Phase::Backward || sequence < 0)
        return;
    const auto after = std::upper_bound(owners_.begin(), owners_.end(), sequence,
                                        [](std::int64_t s, const auto& owner) { return s < owner.first; });
    if (after == owners_.begin())
        return;
    const int layer = std::prev(after)->second;
    if (layer == layer_)
        return;
    credit();
    layer_ = layer;
    accounting_.enter(phase_, layer);
}

}  // namespace highwater::engine
