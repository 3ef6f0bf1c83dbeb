#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/engine/accounting.h"

namespace highwater::engine {

/// Where a step's time goes. One clock is read at each boundary, and all time since the last boundary belongs
/// to the phase and layer that were current: so phases sum to the step, and layers to their phase but for
/// what belongs to no layer. Times are milliseconds; used by the training thread alone.
class Recorder {
public:
    Recorder(Accounting& accounting, std::size_t layers);
    ~Recorder();
    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;

    struct StepTimes {
        wire::PhaseTimes phases;
        std::vector<float> forward, backward;  ///< by layer
    };

    /// `record`: keep the step's timeline.
    void beginStep(int index, bool record);
    /// Ends the step and gives its times.
    const StepTimes& endStep();

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
    void credit();
    void backwardNode(std::int64_t sequence);

    Accounting& accounting_;
    Accounting::Clock::time_point last_{};
    Phase phase_ = Phase::Setup;
    int layer_ = -1;
    StepTimes times_;
    std::vector<Bytes> activationBytes_;
    std::vector<std::pair<std::int64_t, int>> owners_;  ///< first sequence number, layer; ascending
};

}  // namespace highwater::engine
