#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "core/base/units.h"

/// Operators whose speed is limited by memory. Private to core/engine.
namespace highwater::engine {

/// One such operator. `run` may be called repeatedly; `bytes` counts what it reads and writes, each tensor
/// once.
struct MemoryOperator {
    std::string_view family;  ///< a key of CpuSpeed::memory
    double bytes = 0;
    std::function<void()> run;
};

/// One operator of each kind, forward and backward, on tensors of about `tensor` bytes.
std::vector<MemoryOperator> memoryOperators(base::Bytes tensor);

}  // namespace highwater::engine
