#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "core/engine/books/accounting.h"
#include "core/engine/run/step_times.h"
#include "core/engine/run/stream_clock.h"

namespace highwater::engine {

/// Where a step's time goes. One clock is read at each boundary, and all time since the last boundary belongs
/// to the phase and layer that were current: so phases sum to the step, and layers to their phase but for
/// what belongs to no layer. On a device with a clock of its own that clock says so, and this one says when
/// the host was done. Times are milliseconds; used by one thread at a time: the training thread, or the one
/// that runs backward for it.
class Recorder {
public:
    /// `stream`: the device's clock; null on the CPU. It must outlive this.
    Recorder(Accounting& accounting, std::size_t layers, StreamClock* stream = nullptr);
    ~Recorder();
    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;

    /// `record`: keep the step's timeline. `layers`: time its layers, where that costs anything.
    void beginStep(int index, bool record, bool layers = true);
    void endStep();
    /// The oldest ended step's times that were not taken yet, once they are known; `wait`: waits for them.
    std::optional<StepTimes> takeStep(bool wait);

    /// From here on time belongs to this phase and layer (-1: none). Throws Cancelled when cancel was asked
    /// for.
    void enter(Phase phase, int layer = -1);
    /// The autograd nodes made from here on belong to this layer: backward's time will too.
    void nodesBelongTo(int layer);
    /// What a layer's forward added to the activations (the last pass that built a graph counts).
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
    std::deque<StepTimes> ended_;  ///< by the host's clock
    std::vector<Bytes> activationBytes_;
    std::vector<std::pair<std::int64_t, int>> owners_;  ///< first sequence number, layer; ascending
};

}  // namespace highwater::engine
