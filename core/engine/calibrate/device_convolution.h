#pragma once

#include <atomic>
#include <span>
#include <string>

#include "core/base/result.h"
#include "core/engine/books/allocation_log.h"
#include "core/predict/tables/gpu_table.h"

/// Measures convolutions on a GPU one by one, as a training step runs them, into rows of a GPU table. Speaks
/// no LibTorch type. One measurement at a time a process.
namespace highwater::engine {

struct DeviceConvolutionOptions {
    std::string device = "cuda";  ///< or "cuda:1"
    bool tf32 = false, benchmark = false, deterministic = false;
    int repeats = 3;  ///< timed runs, at least 1; three others come before them
};

/// One row: what the pass takes from the caching allocator in passing, and its time in the device's stream.
/// `op` may be fp32, fp16 or bf16, contiguous or channels_last. Sets LibTorch's switches and leaves them so.
/// The cache is emptied before and after. Errors, one line: a build without CUDA, a device that cannot be
/// used, a key whose sizes do not fit each other, a backward pass without a wanted gradient, too little
/// memory, and what LibTorch says of it.
base::Result<predict::GpuOpRow> measureDeviceConvolution(const predict::ConvKey& op,
                                                         const DeviceConvolutionOptions& options,
                                                         const std::atomic<bool>* cancel = nullptr);

}  // namespace highwater::engine
