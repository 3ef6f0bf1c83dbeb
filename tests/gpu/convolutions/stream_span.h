#pragma once

#include <memory>

#include "core/engine/device/device.h"

namespace highwater::engine {

/// Measures the time of a part of a device's stream with two events. The host waits only in microseconds().
class StreamSpan {
public:
    virtual ~StreamSpan() = default;
    virtual void begin() = 0;
    virtual void end() = 0;
    virtual double microseconds() = 0;  ///< waits until the stream has passed the end
};

/// Uses the current stream of the calling thread. Throws the device's errors; std::logic_error in a build
/// without CUDA.
std::unique_ptr<StreamSpan> makeStreamSpan(const Device& device);

}  // namespace highwater::engine
