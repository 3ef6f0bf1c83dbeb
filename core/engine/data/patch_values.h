#pragma once

#include "core/stack/experiment.h"
#include "core/volume/volume.h"

/// Normalization of a scan's values for the network. Plain C++. Private to core/engine.
namespace highwater::engine {

/// The normalization of one channel, from the statistics of the whole scan.
struct ChannelValues {
    float offset = 0, scale = 1;  ///< normalized = (value - offset) * scale
    bool clamp = false;           ///< clamp the result to 0..1
    float outside = 0;            ///< value outside the scan, before normalization: the channel's lowest
};

ChannelValues channelValues(const volume::Volume& scan, const stack::Normalize& normalize);
/// Normalizes `count` values in place; a result that is not finite becomes 0.
void normalizeValues(const ChannelValues& channel, float* values, std::int64_t count);

}  // namespace highwater::engine
