#pragma once

#include <vector>

#include "core/stack/experiment.h"
#include "core/volume/volume.h"

/// How a scan's values become a network's. Plain C++. Private to core/engine.
namespace highwater::engine {

/// Of one channel, from the whole scan's statistics.
struct ChannelValues {
    float offset = 0, scale = 1;  ///< normalised = (value - offset) * scale
    bool clamp = false;           ///< to 0..1
    float outside = 0;            ///< what pads, in the scan's values
};

ChannelValues channelValues(const volume::Volume& scan, const stack::Normalize& normalize);
/// In place; what is not finite becomes 0.
void normalizeValues(const ChannelValues& channel, float* values, std::int64_t count);

}  // namespace highwater::engine
