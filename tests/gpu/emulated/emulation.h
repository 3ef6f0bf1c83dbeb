#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

#include <cmath>
#include <cstdint>
#include <functional>

/// The language features that CUDA kernels need, for a C++ compiler: blocks run one after the other, the
/// threads of a block are fibers that wait for each other at barriers. Slow; for tests without a GPU. Memory
/// is the host's.
#undef __global__
#undef __device__
#undef __host__
#undef __shared__
#undef __launch_bounds__
#define __global__
#define __device__
#define __host__
#define __shared__ static
#define __launch_bounds__(...)

namespace highwater::engine::kernels {

namespace emulation {

/// Runs body for each thread of each block. Throws std::logic_error if threads wait for others that never
/// arrive.
void run(dim3 grid, dim3 block, const std::function<void()>& body);
void waitForBlock();
float fromLane(float value, int further);

}  // namespace emulation

extern uint3 threadIdx, blockIdx;
extern dim3 blockDim, gridDim;

inline void __syncthreads() {
    emulation::waitForBlock();
}
/// All 32 lanes take part, as the kernels here call it.
inline float __shfl_down_sync(unsigned, float value, int further) {
    return emulation::fromLane(value, further);
}
inline float rsqrtf(float value) {
    return 1 / std::sqrt(value);
}
inline std::int64_t min(std::int64_t a, std::int64_t b) {
    return a < b ? a : b;
}

}  // namespace highwater::engine::kernels
