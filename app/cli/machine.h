#pragma once

#include <string>

#include "core/base/units.h"

namespace highwater::cli {

/// Properties of this machine's CPU that are known without LibTorch.
struct Machine {
    std::string processor;  ///< the system's name for it
    int threads = 0;        ///< number of threads that this process may use
    std::string isa;        ///< "avx512", "avx2", "default"
    base::Bytes memory = 0;
    base::Bytes available = 0;
};

Machine thisMachine();

}  // namespace highwater::cli
