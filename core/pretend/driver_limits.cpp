#include <array>
#include <atomic>

#include "core/pretend/abi/driver.h"
#include "core/pretend/settings.h"

// The limits of a context, which only affect kernels: stored as they were set. Triton queries them.
namespace {

using Limits = std::array<std::atomic<std::size_t>, CU_LIMIT_MAX>;

Limits& limits() {
    static Limits& limits =
        *new Limits{1024, 1 << 20, 8 << 20};  // the driver's defaults: stack, printf, heap
    return limits;
}

bool isLimit(CUlimit which) {
    return which >= 0 && which < CU_LIMIT_MAX;
}

CUresult known() {
    return highwater::pretend::settings().driverVersion == 0 ? CUDA_ERROR_NO_DEVICE : CUDA_SUCCESS;
}

}  // namespace

extern "C" {

CUresult cuCtxGetLimit(size_t* value, CUlimit which) {
    if (!value || !isLimit(which)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *value = limits()[which];
    return known();
}

CUresult cuCtxSetLimit(CUlimit which, size_t value) {
    if (!isLimit(which)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    limits()[which] = value;
    return known();
}

}  // extern "C"
