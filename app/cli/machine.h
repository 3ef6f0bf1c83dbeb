#pragma once

#include <string>
#include <vector>

#include "core/base/units.h"

namespace highwater::cli {

/// What can be said of this machine without loading LibTorch.
struct Machine {
    std::string processor;  ///< as the system names it
    int threads = 0;        ///< that this process may use
    std::string isa;        ///< "avx512", "avx2", "default"
    base::Bytes memory = 0;
    base::Bytes available = 0;
    std::vector<std::string> gpus;  ///< NVIDIA's, as its driver names them
};

Machine thisMachine();

}  // namespace highwater::cli
