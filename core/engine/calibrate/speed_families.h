#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "core/base/units.h"

/// Operators that are as fast as memory is. Private to core/engine.
namespace highwater::engine {

/// Runs one such operator over and over; `bytes` is what it reads and writes, each tensor once.
struct MemoryOperator {
    std::string_view family;  ///< a key of CpuSpeed::memory
    double bytes = 0;
    std::function<void()> run;
};

/// One of each kind, forward and backward, on tensors of about so many bytes.
std::vector<MemoryOperator> memoryOperators(base::Bytes tensor);

}  // namespace highwater::engine
