#pragma once

#include <memory>

#include "core/engine/device/device.h"

namespace highwater::engine {

/// A stretch of a device's stream, timed by events in it; the host does not wait before microseconds().
class StreamSpan {
public:
    virtual ~StreamSpan() = default;
    virtual void begin() = 0;
    virtual void end() = 0;
    virtual double microseconds() = 0;  ///< waits until the device is past its end
};

/// Of the calling thread's stream. Errors of the device are thrown; in a build without CUDA: logic_error.
std::unique_ptr<StreamSpan> makeStreamSpan(const Device& device);

}  // namespace highwater::engine
