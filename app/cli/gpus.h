#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/devices/devices.h"

namespace highwater::cli {

/// One entry of `devices --json` (schema: devices.json).
nlohmann::ordered_json gpuJson(const devices::GpuHere& here);
/// The driver's and the engine's versions, and why there is no GPU.
nlohmann::ordered_json cudaJson(const devices::GpusHere& here);
/// Prints a line or two for each GPU, or one line that says why there is none.
void printGpus(const devices::GpusHere& here);

}  // namespace highwater::cli
