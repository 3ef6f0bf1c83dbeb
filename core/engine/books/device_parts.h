#pragma once

#include <optional>

#include "core/wire/events.h"

/// How a GPU's memory is divided up, from what LibTorch's allocator and the driver say: plain numbers.
namespace highwater::engine {

using base::Bytes;

/// LibTorch's figures for one device at a moment (c10's DeviceStats, all pools together).
struct AllocatorBytes {
    Bytes requested = 0;  ///< asked for, in active blocks
    Bytes active = 0;     ///< blocks in use, or given back while another stream may still read them
    Bytes split = 0;      ///< free parts of segments in use (inactive_split; expandable segments have none)
    Bytes reserved = 0;   ///< segments
};

/// What lies outside the allocator.
struct Outside {
    Bytes context = 0, others = 0;
    bool contextKnown = true;
};

/// Of `used` bytes of the device, `reserved` are the allocator's. `process` is what the driver counts for
/// this process; where it does not say, all that was not used `before` this process made its context counts
/// as its own, and where that is unknown too, nothing does.
Outside outsideOf(Bytes used, Bytes reserved, std::optional<Bytes> process, std::optional<Bytes> before);

/// The parts; they sum to allocator.reserved + outside.context + outside.others.
wire::DeviceMemory partsOf(const AllocatorBytes& allocator, const Outside& outside, Bytes capacity);

/// The fraction of `total` at which LibTorch's allocator, which rounds fraction * total down, stops at
/// exactly `budget` bytes; 1, its word for no limit, from `total` on.
double fractionOf(Bytes budget, Bytes total);

}  // namespace highwater::engine
