#pragma once

#include <cstddef>

#include "core/pretend/abi/blas.h"

// The part of cuFFT's interface that LibTorch uses.
extern "C" {

using cufftHandle = int;

enum cufftResult : int {
    CUFFT_SUCCESS = 0,
    CUFFT_INVALID_PLAN = 1,
    CUFFT_EXEC_FAILED = 6,
};

cufftResult cufftCreate(cufftHandle* plan);
cufftResult cufftDestroy(cufftHandle plan);
cufftResult cufftSetAutoAllocation(cufftHandle plan, int);
cufftResult cufftSetStream(cufftHandle plan, cudaStream_t);
cufftResult cufftSetWorkArea(cufftHandle plan, void*);
cufftResult cufftXtMakePlanMany(cufftHandle plan, int rank, long long* sizes, long long*, long long,
                                long long, cudaDataType, long long*, long long, long long, cudaDataType,
                                long long batch, size_t* workspace, cudaDataType execution);
cufftResult cufftXtExec(cufftHandle plan, void*, void*, int);

}  // extern "C"
