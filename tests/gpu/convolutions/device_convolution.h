#pragma once

#include <atomic>
#include <span>
#include <string>

#include "core/base/result.h"
#include "core/engine/books/allocation_log.h"
#include "core/predict/tables/gpu_table.h"

/// Measures convolutions on a GPU one by one, as a training step runs them, and produces rows of a GPU table.
/// No LibTorch type in the interface. Only one measurement at a time in a process.
namespace highwater::engine {

struct DeviceConvolutionOptions {
    std::string device = "cuda";  ///< or "cuda:1"
    bool tf32 = false, benchmark = false, deterministic = false;
    int repeats = 3;  ///< timed runs, at least 1; three untimed runs come before them
};

/// Measures one convolution: the temporary memory that the pass takes from the caching allocator, and its
/// time in the device's stream. `op` may be fp32, fp16 or bf16, contiguous or channels_last. LibTorch's
/// switches are set and not restored. The cache is emptied before and after. Error (one line) if the build
/// has no CUDA, the device cannot be used, the sizes in the key do not fit each other, a backward pass has no
/// wanted gradient, memory runs out, or LibTorch throws.
base::Result<predict::GpuOpRow> measureDeviceConvolution(const predict::ConvKey& op,
                                                         const DeviceConvolutionOptions& options,
                                                         const std::atomic<bool>* cancel = nullptr);

}  // namespace highwater::engine
