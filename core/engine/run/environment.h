#pragma once

#include <map>
#include <string>

#include "core/base/processor.h"
#include "core/base/units.h"

namespace highwater::engine {

using base::machineMemory;

/// The largest resident size of this process so far.
base::Bytes peakResident();
/// Versions of the GPU libraries that LibTorch was built with, by name: "cuda" ("13.0"), "cudnn" ("9.19.0").
/// Empty if it was built without CUDA. Needs no GPU.
std::map<std::string, std::string> cudaVersions();

}  // namespace highwater::engine
