#pragma once

#include <string>

#include "core/base/result.h"
#include "core/nvml/api.h"

namespace highwater::nvml {

/// The library's functions, after it was opened and initialized; it stays open until the process ends. Error
/// (whyNot's line) if that fails; the next call tries again. Thread-safe.
base::Result<const api::Functions*> library();

/// The meaning of an error code: "it has fallen off the bus; restart the machine".
std::string meaning(const api::Functions& nvml, api::Return code);

/// The GPU with this UUID or PCI bus id. The message of an Error names it. Handles are cached: asking again
/// costs little.
base::Result<api::Device> deviceOf(const api::Functions& nvml, const std::string& gpu);

}  // namespace highwater::nvml
