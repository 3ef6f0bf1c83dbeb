#pragma once

#include <cstdint>
#include <memory>

#include "core/engine/device/stream_clock.h"

namespace highwater::engine {

/// The events that a clock records in a device's stream. They are numbered from 0 in the order of make(), may
/// be recorded any number of times, and are destroyed with this object. Throws the device's errors, except
/// from the destructor.
class StreamEvents {
public:
    using Event = std::uint32_t;
    virtual ~StreamEvents() = default;
    virtual Event make() = 0;
    /// Records the event in the current stream of the calling thread.
    virtual void record(Event event) = 0;
    /// True if the stream has passed the event; `wait`: waits until it has.
    virtual bool passed(Event event, bool wait) = 0;
    /// Milliseconds between two events that the stream has passed.
    virtual double between(Event from, Event to) = 0;
};

/// A StreamClock that uses such events. A boundary at which neither phase nor layer changes records no event.
/// A step normally begins with the event that ended the previous step, so that the steps sum to the elapsed
/// time. If take(true) has returned all earlier steps, it begins with a new event: the host's work in between
/// belongs to no step. Events are created before a step begins, as many as the largest step so far needed. A
/// layer out of range counts as -1.
std::unique_ptr<StreamClock> makeEventClock(std::unique_ptr<StreamEvents> events, std::size_t layers);

}  // namespace highwater::engine
