#pragma once

#include <cstdint>
#include <memory>

#include "core/engine/run/stream_clock.h"

namespace highwater::engine {

/// Events in a device's stream, as a clock needs them. They are numbered from 0 as they are made, and
/// recorded again and again; they go with this. Errors of the device are thrown, but not by the destructor.
class StreamEvents {
public:
    using Event = std::uint32_t;
    virtual ~StreamEvents() = default;
    virtual Event make() = 0;
    /// In the stream that the calling thread works in.
    virtual void record(Event event) = 0;
    /// The stream has passed it; `wait`: waits until it has.
    virtual bool passed(Event event, bool wait) = 0;
    /// Milliseconds between two that the stream has passed.
    virtual double between(Event from, Event to) = 0;
};

/// A StreamClock on such events. Boundaries at which neither phase nor layer changes record none. A step that
/// begins while the stream's work is not known to be over begins with the event that ended the step before,
/// so that steps sum to the time that passed; after a take(true) that left no step behind it begins with its
/// own: what the host did meanwhile is no step's. Events are made before a step, as many as the largest so
/// far had. Layers that are out of range count as -1.
std::unique_ptr<StreamClock> makeEventClock(std::unique_ptr<StreamEvents> events, std::size_t layers);

}  // namespace highwater::engine
