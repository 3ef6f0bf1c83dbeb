#pragma once

#include <string>

#include "core/base/units.h"

namespace highwater::cli {

/// What can be said of this machine's CPU without loading LibTorch.
struct Machine {
    std::string processor;  ///< as the system names it
    int threads = 0;        ///< that this process may use
    std::string isa;        ///< "avx512", "avx2", "default"
    base::Bytes memory = 0;
    base::Bytes available = 0;
};

Machine thisMachine();

}  // namespace highwater::cli
