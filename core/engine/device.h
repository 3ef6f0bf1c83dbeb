#pragma once

#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/engine/accounting.h"

namespace at {
class Tensor;
struct Generator;
}  // namespace at
namespace c10 {
struct Device;
}

/// Where a run's tensors live. What CUDA must do for it lies in cuda_*.cpp, compiled where HIGHWATER_CUDA is
/// defined; device_absent.cpp stands for them elsewhere. Private to core/engine.
namespace highwater::engine {

struct Device {
    bool cuda = false;
    int index = 0;              ///< of the GPU
    std::string text() const;   ///< "cpu", "cuda:0"
    c10::Device torch() const;  ///< as LibTorch names it
    bool operator==(const Device&) const = default;
};

/// "cpu", "cuda" or "cuda:N"; the error says so.
base::Result<Device> parseDevice(const std::string& text);
/// Nothing where the device can be used; else why it cannot, in one line: this build, no driver, a driver too
/// old, no such GPU, a GPU without kernels in this LibTorch.
std::optional<std::string> unusable(const Device& device);

/// The books of the device, connected with LibTorch's allocator from the first call on. Never destroyed.
Accounting& installBooks(const Device& device);
/// Moves the tensor's storage to a category, if it lies in memory that some books know.
void retag(const at::Tensor& tensor, Category category);
/// The same for what is still temporaries; other categories stay.
void retagTemporary(const at::Tensor& tensor, Category category);
/// The category of the tensor's storage; nothing where no books know it.
std::optional<Category> categoryOf(const at::Tensor& tensor);

/// The default generator of the device.
at::Generator defaultGenerator(const Device& device);

// --- GPUs; on the CPU these do nothing and give nothing
/// Begins a run: the allocator's peaks start anew, and it may reserve at most `budget`; nothing: all there
/// is.
void beginOnDevice(const Device& device, std::optional<Bytes> budget);
/// Ends it: waits for the device; the limit is lifted.
void endOnDevice(const Device& device);
struct AllocatorNumbers {
    Bytes reservedPeak = 0;    ///< since beginOnDevice
    std::int64_t retries = 0;  ///< since beginOnDevice: the cache was emptied to make room
};
AllocatorNumbers allocatorNumbers(const Device& device);
/// The parts of the GPU's memory now, the allocator's exact, the rest as the driver says (at most 10 times a
/// second; between, its last words).
std::optional<wire::DeviceMemory> deviceMemory(const Device& device);
std::optional<wire::GpuConditions> conditions(const Device& device);
/// Name, memory, architecture, and versions of driver, CUDA and cuDNN.
void describe(const Device& device, wire::Environment& environment);
/// Gives the cached memory, and the libraries' own workspaces, back to the device.
void releaseCached(const Device& device);

}  // namespace highwater::engine
