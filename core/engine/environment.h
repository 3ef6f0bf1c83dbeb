#pragma once

#include "core/base/units.h"

namespace highwater::engine {

/// The most memory this process can ever have: the machine's, or its control group's limit where that is
/// less.
base::Bytes machineMemory();
/// The largest resident size of this process so far.
base::Bytes peakResident();
/// True where the LibTorch of this build can use a GPU that is there.
bool hasCuda();

}  // namespace highwater::engine
