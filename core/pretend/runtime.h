#pragma once

#include "core/pretend/abi/runtime.h"

namespace highwater::pretend {

// Stores an error for cudaGetLastError, as the runtime does, and returns it. Once the device is lost, that
// error.
cudaError_t done(cudaError_t error = cudaSuccess);

// The same for queries that still work after the device is lost.
cudaError_t known(cudaError_t error);

// The error that precedes all others in a call that needs a device: the driver may be missing or too old.
cudaError_t driverError();

// The function of the real library that this one replaces, or null if that library is not loaded. Libraries
// that LibTorch loaded with RTLD_LOCAL are found too.
void* realAddress(const char* name);

template <typename Function>
Function* realFunction(const char* name) {
    return reinterpret_cast<Function*>(realAddress(name));
}

}  // namespace highwater::pretend
