#pragma once

#include <memory>
#include <optional>

#include "core/engine/device/device.h"
#include "core/engine/device/step_times.h"

namespace highwater::engine {

/// Measures time on a device that runs asynchronously to the host. An event is recorded in the stream at each
/// boundary and read once the stream has passed it, so that the stream never waits. The time between two
/// boundaries counts to the phase and layer of the first one. It includes time in which the stream is idle
/// because the host is late, so the phases sum to the step. Used by one thread at a time.
class StreamClock {
public:
    virtual ~StreamClock() = default;
    /// `layers`: time layers too, not only phases.
    virtual void beginStep(bool layers) = 0;
    virtual void enter(Phase phase, int layer) = 0;
    /// Ends the step. Once take() has returned it, results that were copied to the host in the stream before
    /// this call have arrived.
    virtual void endStep() = 0;
    /// Times of the oldest finished step that was not taken yet. std::nullopt if there is none or the device
    /// has not finished it; `wait`: waits for it. StepTimes::host is left to the caller.
    virtual std::optional<StepTimes> take(bool wait) = 0;
    /// Discards all steps, after an error.
    virtual void abandon() = 0;
};

/// Null on the CPU. Throws CUDA's errors as LibTorch does.
std::unique_ptr<StreamClock> makeStreamClock(const Device& device, std::size_t layers);

}  // namespace highwater::engine
