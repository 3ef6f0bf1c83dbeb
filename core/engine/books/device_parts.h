#pragma once

#include <optional>

#include "core/wire/events.h"

/// Divides a GPU's used memory into parts, from figures of LibTorch's allocator and the driver. Plain C++.
namespace highwater::engine {

using base::Bytes;

/// LibTorch's figures for one device at one moment (c10's DeviceStats, all pools together).
struct AllocatorBytes {
    Bytes requested = 0;  ///< requested sizes of the active blocks
    Bytes active = 0;     ///< blocks in use, or freed while another stream may still use them
    Bytes split = 0;      ///< free parts of split segments (inactive_split; expandable segments have none)
    Bytes reserved = 0;   ///< bytes in all segments
};

/// Used memory outside the allocator: this process's context, and other processes.
struct Outside {
    Bytes context = 0, others = 0;
    bool contextKnown = true;
};

/// Splits the device's `used` bytes, of which the allocator has `reserved`. `process` is the driver's figure
/// for this process. If the driver reports none, all memory used beyond `before`, measured before this
/// process created its context, counts as this process's; if that is unknown too, none does (contextKnown is
/// false).
Outside outsideOf(Bytes used, Bytes reserved, std::optional<Bytes> process, std::optional<Bytes> before);

/// The parts of the used memory. They sum to allocator.reserved + outside.context + outside.others.
wire::DeviceMemory partsOf(const AllocatorBytes& allocator, const Outside& outside, Bytes capacity);

/// The memory fraction of `total` that makes LibTorch's allocator, which rounds fraction * total down, stop
/// at exactly `budget` bytes. 1, LibTorch's value for no limit, if budget >= total.
double fractionOf(Bytes budget, Bytes total);

}  // namespace highwater::engine
