#pragma once

#include "core/base/processor.h"
#include "core/base/units.h"

namespace highwater::engine {

using base::machineMemory;

/// The largest resident size of this process so far.
base::Bytes peakResident();
/// True where the LibTorch of this build can use a GPU that is there.
bool hasCuda();

}  // namespace highwater::engine
