#include "core/engine/step/recorder.h"

#include <algorithm>

#include "core/engine/device/torch_compat.h"

namespace highwater::engine {

Recorder::Recorder(Accounting& accounting, std::size_t layers, StreamClock* stream)
    : accounting_(accounting), stream_(stream) {
    times_.clear(layers);
    activationBytes_.resize(layers);
    owners_.reserve(4 * layers + 16);
    listenToBackward(
        [](void* self, std::int64_t sequence) { static_cast<Recorder*>(self)->backwardNode(sequence); },
        this);
}

Recorder::~Recorder() {
    listenToBackward(nullptr, nullptr);
}

void Recorder::beginStep(int index, bool record, bool layers) {
    times_.clear(activationBytes_.size());
    owners_.clear();
    accounting_.beginStep(index, record);
    phase_ = Phase::Data;
    layer_ = -1;
    last_ = Accounting::Clock::now();
    if (stream_ != nullptr) {
        stream_->beginStep(layers);
    }
}

void Recorder::endStep() {
    credit();
    ended_.push_back(times_);
    if (stream_ != nullptr) {
        stream_->endStep();
    }
}

std::optional<StepTimes> Recorder::takeStep(bool wait) {
    if (ended_.empty()) {
        return std::nullopt;
    }
    std::optional<StepTimes> times;
    if (stream_ == nullptr) {
        times = std::move(ended_.front());
    } else {
        times = stream_->take(wait);
        if (!times) {
            return std::nullopt;
        }
        times->host = ended_.front().phases;
    }
    ended_.pop_front();
    return times;
}

void Recorder::enter(Phase phase, int layer) {
    moveTo(phase, layer);
    accounting_.checkCancel();
}

void Recorder::moveTo(Phase phase, int layer) {
    credit();
    phase_ = phase;
    layer_ = layer;
    accounting_.enter(phase, layer);
    if (stream_ != nullptr) {
        stream_->enter(phase, layer);
    }
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
    times_.add(phase_, layer_, spent);
}

// Called before each backward node. The time of nodes without their own sequence number (AccumulateGrad)
// counts to the layer of the preceding node.
void Recorder::backwardNode(std::int64_t sequence) {
    if (phase_ != Phase::Backward || sequence < 0) {
        return;
    }
    const auto after = std::upper_bound(owners_.begin(), owners_.end(), sequence,
                                        [](std::int64_t s, const auto& owner) { return s < owner.first; });
    if (after == owners_.begin()) {
        return;
    }
    const int layer = std::prev(after)->second;
    if (layer == layer_) {
        return;
    }
    moveTo(phase_, layer);
}

}  // namespace highwater::engine
