#pragma once

#include "core/base/units.h"

namespace highwater::scan {

/// Ends with its parent, leaves no core file, and may not map more than `addressSpace` bytes (0: no such
/// limit; AddressSanitizer maps terabytes, so a build with it has none).
void limitProcess(base::Bytes addressSpace);

}  // namespace highwater::scan
