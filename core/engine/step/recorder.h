#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "core/engine/books/accounting.h"
#include "core/engine/device/step_times.h"
#include "core/engine/device/stream_clock.h"

namespace highwater::engine {

/// Measures where a step's time goes. The host's clock is read at each boundary, and all time since the last
/// boundary counts to the phase and layer that were current. So the phases sum to the step, and the layers to
/// their phase, except for time that belongs to no layer. With a StreamClock, the device's clock gives these
/// times, and the host's clock only says how long the host was busy (StepTimes::host). Times are in
/// milliseconds. Used by one thread at a time: the training thread, or the autograd thread that runs backward
/// for it.
class Recorder {
public:
    /// `stream`: the device's clock, null on the CPU. `accounting` and `stream` must outlive this object.
    Recorder(Accounting& accounting, std::size_t layers, StreamClock* stream = nullptr);
    ~Recorder();
    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;

    /// `record`: keep the memory timeline of the step. `layers`: time its layers, if the device's clock is
    /// used (the host's clock always does).
    void beginStep(int index, bool record, bool layers = true);
    void endStep();
    /// Times of the oldest finished step that was not taken yet; std::nullopt if there is none or its times
    /// are not known yet. `wait`: waits until they are.
    std::optional<StepTimes> takeStep(bool wait);

    /// From here on time counts to this phase and layer (-1: no layer). Throws Cancelled if the run was
    /// cancelled.
    void enter(Phase phase, int layer = -1);
    /// Autograd nodes made from here on belong to this layer, so that their time in backward counts to it.
    void nodesBelongTo(int layer);
    /// The increase of the category activations during a layer's forward. If called several times, the last
    /// call counts: the last pass that built an autograd graph.
    void layerKept(int layer, Bytes bytes);

    Phase phase() const { return phase_; }
    const std::vector<Bytes>& activationBytes() const { return activationBytes_; }

private:
    void moveTo(Phase phase, int layer);
    void credit();
    void backwardNode(std::int64_t sequence);

    Accounting& accounting_;
    Accounting::Clock::time_point last_{};
    Phase phase_ = Phase::Setup;
    int layer_ = -1;
    StepTimes times_;
    StreamClock* stream_;
    std::deque<StepTimes> ended_;  ///< steps not taken yet, timed by the host's clock
    std::vector<Bytes> activationBytes_;
    std::vector<std::pair<std::int64_t, int>>
        owners_;  ///< first autograd sequence number and its layer; ascending
};

}  // namespace highwater::engine
