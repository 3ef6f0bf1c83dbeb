#pragma once

#include <barrier>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

/// Runs CUDA blocks on the CPU, with one thread per CUDA thread and one block after the other, so that
/// kernels can be tested without a GPU. Include it before a .cuh; the kernels' dynamic shared memory is a
/// variable of their own namespace.
#define __device__
#define __global__
#define __launch_bounds__(threads)
#define __shared__
#define HIGHWATER_SHARED static

struct dim3 {
    unsigned x = 1, y = 1, z = 1;
};
inline thread_local dim3 threadIdx, blockIdx;
inline dim3 gridDim;

namespace highwater::testing {

inline std::barrier<>* gBlock = nullptr;

/// body() on `threads` threads for each block of the grid.
inline void launch(dim3 grid, unsigned threads, const std::function<void()>& body) {
    gridDim = grid;
    std::barrier<> block(static_cast<std::ptrdiff_t>(threads));
    gBlock = &block;
    std::vector<std::thread> all;
    for (unsigned thread = 0; thread < threads; ++thread) {
        all.emplace_back([&, thread] {
            threadIdx = {thread, 0, 0};
            for (unsigned y = 0; y < grid.y; ++y) {
                for (unsigned x = 0; x < grid.x; ++x) {
                    blockIdx = {x, y, 0};
                    body();
                    block.arrive_and_wait();
                }
            }
        });
    }
    for (std::thread& each : all) {
        each.join();
    }
}

}  // namespace highwater::testing

inline void __syncthreads() {
    highwater::testing::gBlock->arrive_and_wait();
}
