#pragma once

#include <optional>
#include <vector>

#include "core/wire/events.h"

namespace highwater::engine {

/// The times of one step in milliseconds.
struct StepTimes {
    wire::PhaseTimes phases;
    std::optional<wire::PhaseTimes> host;  ///< the host's times, if the device has its own clock
    bool layered = true;                   ///< false: no layer was timed in this step
    std::vector<float> forward, backward;  ///< by layer

    void clear(std::size_t layers);
    void add(wire::Phase phase, int layer, double ms);
};

}  // namespace highwater::engine
