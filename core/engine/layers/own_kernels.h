#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/engine/device/device.h"
#include "core/stack/experiment.h"

/// What this build's own kernels can do. Private to core/engine.
namespace highwater::engine {

/// Nothing where every layer's kernels are in this build; else one line that names the layer that the device
/// cannot run and what would be right. On the CPU nothing is ever missing.
std::optional<std::string> missingKernels(const std::vector<stack::Layer>& layers, const Device& device);

}  // namespace highwater::engine
