#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/engine/device/device.h"
#include "core/stack/experiment.h"

/// Checks whether this build has Highwater's own CUDA kernels. Private to core/engine.
namespace highwater::engine {

/// Returns std::nullopt if the device can run every layer; otherwise one line that names the layer it cannot
/// run and says what to use instead. On the CPU no kernel is ever missing.
std::optional<std::string> missingKernels(const std::vector<stack::Layer>& layers, const Device& device);

}  // namespace highwater::engine
