#pragma once

#include "core/capture/replay/replay.h"

namespace highwater::capture {

/// More memory than any device has, and the limit of what the simulation is asked for.
inline constexpr base::Bytes kMostMemory = base::Bytes{16} << 40;

/// The settings that the device's allocator had: those of the file where it has them (PyTorch 2.3 and later),
/// PyTorch's own otherwise. Expandable segments are known by their events too.
memory::AllocatorConfig configOf(const History& history, const DeviceHistory& device,
                                 const ReplayOptions& options);

/// Why a device's history cannot be played; empty if it can. What passes has only addresses up to 2^61, sizes
/// from 1 B to 16 TiB, and at no time more than 16 TiB reserved.
std::string obstacle(const History& history, const DeviceHistory& device);

}  // namespace highwater::capture
