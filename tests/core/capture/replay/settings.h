#pragma once

#include "tests/core/capture/replay/replay.h"

namespace highwater::capture {

/// More memory than any device has; the largest request to the simulation.
inline constexpr base::Bytes kMostMemory = base::Bytes{16} << 40;

/// The settings of the device's allocator: those in the file (PyTorch 2.3 and later), otherwise PyTorch's
/// defaults. Expandable segments are also recognized by their events.
memory::AllocatorConfig configOf(const History& history, const DeviceHistory& device,
                                 const ReplayOptions& options);

/// Why a device's history cannot be replayed; empty if it can. A history that passes has only addresses up to
/// 2^61, sizes from 1 B to 16 TiB, and never more than 16 TiB reserved.
std::string obstacle(const History& history, const DeviceHistory& device);

}  // namespace highwater::capture
