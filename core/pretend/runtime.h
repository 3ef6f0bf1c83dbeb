#pragma once

#include "core/pretend/abi/runtime.h"

namespace highwater::pretend {

// Keeps an error for cudaGetLastError, as the runtime does, and returns it. After a loss, the loss.
cudaError_t done(cudaError_t error = cudaSuccess);

// The same for a question that no work on the device can spoil: it is answered after a loss too.
cudaError_t known(cudaError_t error);

// What a call that needs a device answers before anything else: the driver may be missing or too old.
cudaError_t driverError();

// A function of the real library that this one stands before, or null where that library is not loaded.
// Libraries that LibTorch opened for itself alone are found too.
void* realAddress(const char* name);

template <typename Function>
Function* realFunction(const char* name) {
    return reinterpret_cast<Function*>(realAddress(name));
}

}  // namespace highwater::pretend
