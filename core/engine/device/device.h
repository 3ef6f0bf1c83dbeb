#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/engine/books/accounting.h"

namespace at {
class Tensor;
struct Generator;
}  // namespace at
namespace c10 {
struct Device;
}

/// The device of a run: the CPU or one GPU. The CUDA part is in cuda_*.cpp, compiled if HIGHWATER_CUDA is
/// defined; otherwise device_absent.cpp replaces it. Private to core/engine.
namespace highwater::engine {

struct Device {
    bool cuda = false;
    int index = 0;              ///< index of the GPU
    std::string text() const;   ///< "cpu", "cuda:0"
    c10::Device torch() const;  ///< LibTorch's type
    bool operator==(const Device&) const = default;
};

/// Parses "cpu", "cuda" or "cuda:N". Error for any other text.
base::Result<Device> parseDevice(const std::string& text);
/// Returns std::nullopt if the device can be used; otherwise the reason in one line: a build without CUDA, no
/// driver, a driver that is too old, no such GPU, a GPU for which LibTorch has no kernels.
std::optional<std::string> unusable(const Device& device);

/// The books of the device; the first call connects them with LibTorch's allocator. Never destroyed.
Accounting& installBooks(const Device& device);
/// Moves the tensor's storage to a category, if its memory is in any books.
void retag(const at::Tensor& tensor, Category category);
/// The same, but only if the storage is in the category temporaries.
void retagTemporary(const at::Tensor& tensor, Category category);
/// The category of the tensor's storage; std::nullopt if its memory is in no books.
std::optional<Category> categoryOf(const at::Tensor& tensor);

/// The default generator of the device.
at::Generator defaultGenerator(const Device& device);

// --- For GPUs. On the CPU these functions do nothing and return empty values.
/// Begins a run in the books, under this alloc_conf: peaks, refusals and workspaces are reset.
void startBooks(const Device& device, const std::string& allocConf);
/// Sets, by layer, the sizes of convolution results; any other allocation of a convolution is a workspace.
/// Call before the first convolution.
void expectResults(const Device& device, std::vector<std::vector<Bytes>> results);
std::vector<wire::LayerWorkspace> workspaces(const Device& device);  ///< since startBooks()
std::int64_t workspacesRefused(const Device& device);                ///< since startBooks()
/// deviceMemory() with the allocator's parts as they were at the highest total of the tensors.
std::optional<wire::DeviceMemory> deviceMemoryAtPeak(const Device& device);
/// deviceMemory() with the allocator's parts at the time when the latest allocation was refused; std::nullopt
/// if none was.
std::optional<wire::DeviceMemory> deviceMemoryAtRefusal(const Device& device);
/// Begins a run: creates the context, resets the allocator's peaks, and limits its reserved memory to
/// `budget` bytes (std::nullopt: no limit).
void beginOnDevice(const Device& device, std::optional<Bytes> budget);
/// Ends the run: waits for the device and lifts the limit.
void endOnDevice(const Device& device);
struct AllocatorNumbers {
    Bytes reservedPeak = 0;    ///< since beginOnDevice
    std::int64_t retries = 0;  ///< since beginOnDevice: how often the cache was emptied to make room
};
AllocatorNumbers allocatorNumbers(const Device& device);
/// The parts of the GPU's memory now. The allocator's are exact; the others are the driver's, which is asked
/// at most 10 times a second (in between, its last figures are used). std::nullopt before beginOnDevice. Must
/// not be called from the allocator's callbacks.
std::optional<wire::DeviceMemory> deviceMemory(const Device& device);
/// The largest DeviceMemory::used() of all calls of deviceMemory() since beginOnDevice and of one measurement
/// now.
Bytes peakDeviceUsed(const Device& device);
std::optional<wire::GpuConditions> conditions(const Device& device);
/// Fills in name, memory, architecture, and the versions of driver, CUDA and cuDNN.
void describe(const Device& device, wire::Environment& environment);
/// Frees the allocator's cached memory and the workspaces of cuBLAS.
void releaseCached(const Device& device);

/// A device error as one line for the user (a lost GPU, a driver that was unloaded, libraries that are
/// missing or do not match, missing kernels, ...); std::nullopt if the error is not known to come from the
/// device.
std::optional<std::string> deviceErrorText(const std::exception& error);
/// The message for a run whose device is lost, with the cause if the error names one.
std::string lostText(const Device& device, const std::exception& error);
/// True if the device's memory was full but the error is not the allocator's own: cuBLAS, cuDNN or the driver
/// could not get memory.
bool isDeviceFull(const std::exception& error);
/// Waits for the device. True if an error has ended this process's use of it, so that only a new process can
/// use it again. From then on, any LibTorch call that makes a CUDA call on it throws, even in destructors. So
/// do not copy, free or wait for anything of the run; a StreamClock may only be abandoned or destroyed; and
/// tensors that a second stream used (record_stream, pinned inputs of asynchronous copies) must be leaked,
/// since freeing them records events. endOnDevice, releaseCached and the functions above that return figures
/// may still be called; they do nothing.
bool deviceIsLost(const Device& device);

}  // namespace highwater::engine
