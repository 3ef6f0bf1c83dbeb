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
/// The books begin a run under this alloc_conf: what was said of peaks and workspaces is forgotten.
void startBooks(const Device& device, const std::string& allocConf);
/// Before the first convolution, by layer: the sizes that results have; what else they take is workspace.
void expectResults(const Device& device, std::vector<std::vector<Bytes>> results);
std::vector<wire::LayerWorkspace> workspaces(const Device& device);  ///< since startBooks()
std::int64_t workspacesRefused(const Device& device);                ///< since startBooks()
/// deviceMemory() with the allocator's parts as they were at the highest total of the tensors.
std::optional<wire::DeviceMemory> deviceMemoryAtPeak(const Device& device);
/// The same as they were when the latest request was refused; nothing: none was.
std::optional<wire::DeviceMemory> deviceMemoryAtRefusal(const Device& device);
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
/// second; between, its last words). Nothing before beginOnDevice. Not from within the allocator's callbacks.
std::optional<wire::DeviceMemory> deviceMemory(const Device& device);
/// The largest DeviceMemory::used() since beginOnDevice: as often as deviceMemory() was asked, and once now.
Bytes peakDeviceUsed(const Device& device);
std::optional<wire::GpuConditions> conditions(const Device& device);
/// Name, memory, architecture, and versions of driver, CUDA and cuDNN.
void describe(const Device& device, wire::Environment& environment);
/// Gives the cached memory, and the libraries' own workspaces, back to the device.
void releaseCached(const Device& device);

/// What went wrong on the device in plain words, one line, where the error is known to come from it: a GPU
/// that was lost, a driver that ended, libraries that are missing or do not fit, kernels that are missing.
std::optional<std::string> deviceErrorText(const std::exception& error);
/// What the error says of a device that is lost.
std::string lostText(const Device& device, const std::exception& error);
/// The device's memory was full, though the error is not the allocator's own: cuBLAS, cuDNN or the driver
/// could not get theirs.
bool isDeviceFull(const std::exception& error);
/// Waits for the device, then: an error has ended this process's use of it, and only a new process can use it
/// again. From then on no LibTorch call may be made on it that is not free of CUDA calls, since it throws,
/// out of destructors too: nothing of the run is copied, released or waited for, a StreamClock is only
/// abandoned or destroyed, and tensors that a second stream used (record_stream, pinned inputs of copies that
/// do not block) are leaked, not freed: freeing them records events. endOnDevice, releaseCached and the
/// functions above that give numbers may be called, and do nothing.
bool deviceIsLost(const Device& device);

}  // namespace highwater::engine
