#pragma once

#include <string>

#include "core/base/result.h"
#include "core/nvml/api.h"

namespace highwater::nvml {

/// The library, opened and initialised; it stays so until the process ends. An error (whyNot's line) where
/// that cannot be; the next call tries anew. From any thread.
base::Result<const api::Functions*> library();

/// What a failed call means: "it has fallen off the bus; restart the machine".
std::string meaning(const api::Functions& nvml, api::Return code);

/// The GPU of that UUID or PCI bus id. Errors name it. Handles are kept: asking again costs little.
base::Result<api::Device> deviceOf(const api::Functions& nvml, const std::string& gpu);

}  // namespace highwater::nvml
