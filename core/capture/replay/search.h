#pragma once

#include "core/base/result.h"
#include "core/capture/replay/before.h"
#include "core/memory/allocator_config.h"

namespace highwater::capture {

/// Plays a device's history in one reading after another until one is equal, a few dozen at most. The result,
/// which has the device's number and events, is that of the reading that is equal, or of the one that is
/// longest without a difference. Error (one line) if the history cannot be played. The history has no
/// obstacle() and its streams have numbers.
base::Status search(const DeviceHistory& device, const memory::AllocatorConfig& config,
                    const StreamNumbers& streams, DeviceReplay& result);

}  // namespace highwater::capture
