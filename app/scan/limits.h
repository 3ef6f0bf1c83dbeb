#pragma once

#include "core/base/units.h"

namespace highwater::scan {

/// Limits this process: it ends with its parent, writes no core file, and cannot map more than `addressSpace`
/// bytes (0: no such limit; a build with AddressSanitizer, which maps terabytes, has none).
void limitProcess(base::Bytes addressSpace);

}  // namespace highwater::scan
