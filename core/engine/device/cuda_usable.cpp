#include <ATen/Context.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <ATen/ops/ones.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>
#include <cuda_runtime_api.h>
#include <fmt/format.h>
#include <torch/version.h>

#include <cstdlib>
#include <mutex>
#include <set>

#include "core/base/text.h"
#include "core/engine/device/cuda_device.h"
#include "core/engine/device/torch_compat.h"
#include "core/engine/device/usable_text.h"
#include "core/nvml/nvml.h"

namespace highwater::engine {

namespace {

/// Problems that NVML reports about GPUs that CUDA does not see: "; GPU 0 has fallen off the bus ...".
std::string problems() {
    std::string text;
    if (const auto gpus = nvml::gpus()) {
        for (const nvml::Gpu& gpu : *gpus) {
            if (!gpu.problem.empty()) {
                text += fmt::format("; GPU {} {}", gpu.index, gpu.problem);
            }
        }
    }
    return text;
}

std::string why(cudaError_t error) {
    int driver = 0, runtime = 0;
    C10_CUDA_IGNORE_ERROR(cudaDriverGetVersion(&driver));
    C10_CUDA_IGNORE_ERROR(cudaRuntimeGetVersion(&runtime));
    if (driver == 0) {
        return noDriverText(runtime);
    }
    if (error == cudaErrorInsufficientDriver) {
        return oldDriverText(nvml::driverVersion(), driver, runtime);
    }
    if (error == cudaErrorNoDevice || error == cudaSuccess) {
        return noGpuText(std::getenv("CUDA_VISIBLE_DEVICES")) + problems();
    }
    const std::string message = fmt::format("CUDA error: {}", cudaGetErrorString(error));
    return deviceErrorText(std::runtime_error(message)).value_or(message) + problems();
}

/// Creates the context and runs a kernel of LibTorch: only this shows that LibTorch has kernels for the GPU.
/// Returns std::nullopt on success, otherwise the reason.
std::optional<std::string> tryKernel(const Device& device) {
    try {
        at::ones({1}, at::TensorOptions().device(device.torch())).add_(1);
        C10_CUDA_CHECK(cudaDeviceSynchronize());
        c10::cuda::CUDACachingAllocator::emptyCache();
        return std::nullopt;
    } catch (const std::exception& error) {
        const Gpu& gpu = gpuOf(device);
        const std::string brief = briefError(error);
        if (brief.find("no kernel image") != brief.npos) {
            return noKernelsText(device.text(), gpu.name, gpu.architecture,
                                 at::detail::getCUDAHooks().showConfig());
        }
        return fmt::format("{} ({}): {}", device.text(), gpu.name,
                           deviceErrorText(error).value_or(base::oneLine(brief)));
    }
}

}  // namespace

std::optional<std::string> unusable(const Device& device) {
    if (!device.cuda) {
        return std::nullopt;
    }
    static std::mutex mutex;
    static auto* const tried = new std::set<int>;
    const std::lock_guard lock(mutex);
    if (tried->contains(device.index) && !deviceIsLost(device)) {
        return std::nullopt;
    }
    int count = 0;
    const cudaError_t error = C10_CUDA_ERROR_HANDLED(cudaGetDeviceCount(&count));
    if (error != cudaSuccess || count == 0) {
        C10_CUDA_CLEAR_ERROR();
        return why(error);
    }
    if (device.index >= count) {
        return noSuchGpuText(device.text(), count, std::getenv("CUDA_VISIBLE_DEVICES"));
    }
    if (deviceIsLost(device)) {
        return fmt::format("{} was lost to an error; only a new process can use it again", device.text());
    }
    if (const std::string name = c10::cuda::CUDACachingAllocator::get()->name(); name != "native") {
        return "PYTORCH_CUDA_ALLOC_CONF chooses the allocator " + name +
               ", whose memory cannot be followed: leave out its \"backend\"";
    }
    noteUseBefore(device);
    if (auto reason = tryKernel(device)) {
        return reason;
    }
    tried->insert(device.index);
    return std::nullopt;
}

}  // namespace highwater::engine
