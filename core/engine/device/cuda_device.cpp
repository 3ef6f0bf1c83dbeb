#include "core/engine/device/cuda_device.h"

#include <ATen/Context.h>
#include <ATen/cuda/CUDAContextLight.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>
#include <cuda_runtime_api.h>
#include <fmt/format.h>
#include <torch/version.h>
#if TORCH_VERSION_MAJOR > 2 || TORCH_VERSION_MINOR >= 8
#include <ATen/core/CachingHostAllocator.h>
#else
#include <ATen/cuda/CachingHostAllocator.h>
#endif

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>

#include "core/engine/device/usable_text.h"
#include "core/nvml/nvml.h"

namespace highwater::engine {

namespace {

std::string uuidText(const cudaUUID_t& uuid) {
    std::string text;
    for (int i = 0; i < 16; ++i) {
        if (i == 4 || i == 6 || i == 8 || i == 10) {
            text += '-';
        }
        text += fmt::format("{:02x}", static_cast<unsigned char>(uuid.bytes[i]));
    }
    return text;
}

Gpu ask(int index) {
    cudaDeviceProp properties{};
    C10_CUDA_CHECK(cudaGetDeviceProperties(&properties, index));
    return {.name = properties.name,
            .memory = static_cast<Bytes>(properties.totalGlobalMem),
            .architecture = properties.major * 10 + properties.minor,
            .uuid = uuidText(properties.uuid),
            .pciBusId = fmt::format("{:08x}:{:02x}:{:02x}.0", properties.pciDomainID, properties.pciBusID,
                                    properties.pciDeviceID)};
}

/// Values by GPU index, each computed once.
template <class Value>
class ByGpu {
public:
    template <class Make>
    const Value& get(int index, Make make) {
        const std::lock_guard lock(mutex_);
        const auto at = values_.find(index);
        return at != values_.end() ? at->second : values_.emplace(index, make()).first->second;
    }

private:
    std::mutex mutex_;
    std::map<int, Value> values_;
};

std::string cudnnText(long version) {
    if (version <= 0) {
        return "none";
    }
    const long major = version >= 90000 ? version / 10000 : version / 1000;
    const long rest = version >= 90000 ? version % 10000 : version % 1000;
    return fmt::format("{}.{}.{}", major, rest / 100, rest % 100);
}

/// True if there is no context yet.
bool works(c10::DeviceIndex index) {
    try {
        if (!c10::cuda::hasPrimaryContext(index)) {
            return true;
        }
        const c10::cuda::CUDAGuard guard(index);
        return C10_CUDA_ERROR_HANDLED(cudaDeviceSynchronize()) == cudaSuccess;
    } catch (const std::exception&) {
        return false;
    }
}

template <class Hooks>
long cudnnVersion(const Hooks& hooks) {
    if (!hooks.hasCuDNN()) {
        return 0;
    }
    if constexpr (requires { hooks.versionRuntimeCuDNN(); }) {
        return hooks.versionRuntimeCuDNN();
    } else {
        return hooks.versionCuDNN();
    }
}

}  // namespace

const Gpu& gpuOf(const Device& device) {
    static auto* const known = new ByGpu<Gpu>;
    return known->get(device.index, [&] { return ask(device.index); });
}

std::string nvmlNameOf(const Device& device) {
    if (!nvml::available()) {
        return {};
    }
    static auto* const known = new ByGpu<std::string>;
    return known->get(device.index, [&]() -> std::string {
        const Gpu& gpu = gpuOf(device);
        for (const std::string& name : {"GPU-" + gpu.uuid, "MIG-" + gpu.uuid, gpu.pciBusId}) {
            if (nvml::deviceUse(name)) {
                return name;
            }
        }
        return {};
    });
}

at::Generator defaultGenerator(const Device& device) {
    return at::globalContext().defaultGenerator(device.torch());
}

void describe(const Device& device, wire::Environment& environment) {
    if (!device.cuda) {
        return;
    }
    const Gpu& gpu = gpuOf(device);
    environment.deviceName = gpu.name;
    environment.memoryBytes = gpu.memory;
    environment.architecture = gpu.architecture;
    int runtime = 0, driver = 0;
    C10_CUDA_CHECK(cudaRuntimeGetVersion(&runtime));
    C10_CUDA_CHECK(cudaDriverGetVersion(&driver));
    environment.versions["cuda"] = cudaVersionText(runtime);
    environment.versions["cudnn"] = cudnnText(cudnnVersion(at::detail::getCUDAHooks()));
    const std::string name = nvml::driverVersion();
    environment.versions["driver"] = name.empty() ? "for CUDA " + cudaVersionText(driver) : name;
}

std::optional<wire::GpuConditions> conditions(const Device& device) {
    const std::string name = device.cuda ? nvmlNameOf(device) : std::string();
    if (name.empty()) {
        return std::nullopt;
    }
    const auto now = nvml::conditions(name);
    if (!now) {
        return std::nullopt;
    }
    return wire::GpuConditions{.smClockMHz = now->smClockMHz,
                               .maxSmClockMHz = now->maxSmClockMHz,
                               .memoryClockMHz = now->memoryClockMHz,
                               .temperatureC = now->temperatureC,
                               .powerW = now->powerW,
                               .throttled = now->throttled};
}

void releaseCached(const Device& device) {
    if (!device.cuda || deviceIsLost(device)) {
        return;
    }
    const c10::cuda::CUDAGuard guard(indexOf(device));
    at::cuda::clearCublasWorkspaces();
    c10::cuda::CUDACachingAllocator::emptyCache();
#if TORCH_VERSION_MAJOR > 2 || TORCH_VERSION_MINOR >= 8
    at::getHostAllocator(at::kCUDA)->empty_cache();
#else
    at::cuda::CachingHostAllocator_emptyCache();
#endif
}

bool deviceIsLost(const Device& device) {
    static std::atomic<std::uint64_t> lost{0};  // one bit per GPU
    const std::uint64_t bit = std::uint64_t{1} << (static_cast<unsigned>(device.index) % 64U);
    if (!device.cuda || (lost.load() & bit) != 0) {
        return device.cuda;
    }
    if (works(indexOf(device))) {
        return false;
    }
    C10_CUDA_CLEAR_ERROR();
    lost |= bit;
    return true;
}

}  // namespace highwater::engine
