#pragma once

#include <string>

#include "core/memory/device_event.h"
#include "tests/core/capture/history_read.h"

namespace highwater::capture {

/// An event as a short text: "alloc 1024 B at 0x7f0000000200".
std::string describe(const HistoryEvent& event);
std::string describe(const memory::DeviceEvent& event);

}  // namespace highwater::capture
