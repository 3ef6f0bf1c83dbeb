#pragma once

#include <memory>
#include <optional>

#include "core/engine/device/device.h"
#include "core/engine/run/step_times.h"

namespace highwater::engine {

/// Time on a device that works behind the host: events are written into its stream at each boundary, and read
/// once they are over, so the stream never waits. The time between two boundaries belongs to the phase and
/// layer of the first; a stream that idles because the host is late counts too, so phases sum to the step.
/// Used by one thread at a time.
class StreamClock {
public:
    virtual ~StreamClock() = default;
    /// `layers`: time layers too, not phases alone.
    virtual void beginStep(bool layers) = 0;
    virtual void enter(Phase phase, int layer) = 0;
    /// Results that copies in the stream bring to the host are there once take() has given this step.
    virtual void endStep() = 0;
    /// The oldest ended step that was not taken yet, if it is over; `wait`: waits for it. Nothing: none, or
    /// not over. StepTimes::host is left to the caller.
    virtual std::optional<StepTimes> take(bool wait) = 0;
    /// After an error: forgets all steps.
    virtual void abandon() = 0;
};

/// Null on the CPU. Errors of the device are thrown, as LibTorch's.
std::unique_ptr<StreamClock> makeStreamClock(const Device& device, std::size_t layers);

}  // namespace highwater::engine
