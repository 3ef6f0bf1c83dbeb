#pragma once

#include "core/pretend/abi/nvml.h"

namespace highwater::pretend {

// Success, or why NVML cannot answer: no driver, not initialized, the device is lost.
nvmlReturn_t nvmlState();

// Stores a value if nvmlState() is success.
template <typename T>
nvmlReturn_t give(T* out, T value) {
    if (!out) {
        return kNvmlInvalidArgument;
    }
    if (nvmlState() == kNvmlSuccess) {
        *out = value;
    }
    return nvmlState();
}

}  // namespace highwater::pretend
