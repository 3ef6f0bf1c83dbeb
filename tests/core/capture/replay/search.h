#pragma once

#include "core/base/result.h"
#include "core/memory/allocator_config.h"
#include "tests/core/capture/replay/before.h"

namespace highwater::capture {

/// Replays a device's history in one reading after another until one is equal, a few dozen at most. The
/// result, which has the device's number and events, is that of the equal reading, or of the one with the
/// latest difference. Error (one line) if the history cannot be replayed. Requires a history without an
/// obstacle() and streams that have numbers.
base::Status search(const DeviceHistory& device, const memory::AllocatorConfig& config,
                    const StreamNumbers& streams, DeviceReplay& result);

}  // namespace highwater::capture
