#include "core/nvml/library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <initializer_list>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "core/base/text.h"

namespace highwater::nvml {
namespace {

constexpr const char* kLibrary = "libnvidia-ml.so.1";

struct Opened {
    api::Functions functions;
    bool initialized = false;
};

/// The library's names and paths: first on the loader's search path, then where containers and WSL have it
/// outside that path.
std::vector<std::string> candidates() {
    if (const char* other = std::getenv("HIGHWATER_NVML"); other && *other) {
        return {other};
    }
    return {kLibrary, std::string("/usr/lib/wsl/lib/") + kLibrary,
            std::string("/usr/local/nvidia/lib64/") + kLibrary};
}

/// The first of `names` that the library has; the newest must come first.
template <class Function>
void find(void* handle, Function& function, std::initializer_list<const char*> names) {
    for (const char* name : names) {
        if ((function = reinterpret_cast<Function>(::dlsym(handle, name)))) {
            return;
        }
    }
}

api::Functions functionsOf(void* handle) {
    api::Functions f;
    find(handle, f.init, {"nvmlInit_v2", "nvmlInit"});
    find(handle, f.errorString, {"nvmlErrorString"});
    find(handle, f.driverVersion, {"nvmlSystemGetDriverVersion"});
    find(handle, f.cudaVersion, {"nvmlSystemGetCudaDriverVersion_v2", "nvmlSystemGetCudaDriverVersion"});
    find(handle, f.count, {"nvmlDeviceGetCount_v2", "nvmlDeviceGetCount"});
    find(handle, f.byIndex, {"nvmlDeviceGetHandleByIndex_v2", "nvmlDeviceGetHandleByIndex"});
    find(handle, f.byUuid, {"nvmlDeviceGetHandleByUUID"});
    find(handle, f.byPciBusId, {"nvmlDeviceGetHandleByPciBusId_v2", "nvmlDeviceGetHandleByPciBusId"});
    find(handle, f.name, {"nvmlDeviceGetName"});
    find(handle, f.uuid, {"nvmlDeviceGetUUID"});
    find(handle, f.pciInfo, {"nvmlDeviceGetPciInfo_v3", "nvmlDeviceGetPciInfo_v2", "nvmlDeviceGetPciInfo"});
    find(handle, f.capability, {"nvmlDeviceGetCudaComputeCapability"});
    find(handle, f.memory, {"nvmlDeviceGetMemoryInfo"});
    find(handle, f.memoryV2, {"nvmlDeviceGetMemoryInfo_v2"});
    find(handle, f.computing,
         {"nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses_v2"});
    find(handle, f.computingV1, {"nvmlDeviceGetComputeRunningProcesses"});
    find(handle, f.drawing,
         {"nvmlDeviceGetGraphicsRunningProcesses_v3", "nvmlDeviceGetGraphicsRunningProcesses_v2"});
    find(handle, f.drawingV1, {"nvmlDeviceGetGraphicsRunningProcesses"});
    find(handle, f.clock, {"nvmlDeviceGetClockInfo"});
    find(handle, f.maxClock, {"nvmlDeviceGetMaxClockInfo"});
    find(handle, f.temperature, {"nvmlDeviceGetTemperature"});
    find(handle, f.temperatureV, {"nvmlDeviceGetTemperatureV"});
    find(handle, f.power, {"nvmlDeviceGetPowerUsage"});
    find(handle, f.reasons,
         {"nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"});
    return f;
}

/// Opens the first candidate that can be opened. The Error is the first candidate's, which is the one that a
/// user can act on.
base::Result<void*> open() {
    std::optional<base::Error> first;
    for (const std::string& name : candidates()) {
        if (void* handle = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) {
            return handle;
        }
        const char* said = ::dlerror();
        const std::string why = base::oneLine(said ? said : "no reason given");
        if (!first) {
            first = base::Error{why.find("No such file") != std::string::npos
                                    ? fmt::format("{}, which NVIDIA's driver brings, is not installed", name)
                                    : fmt::format("NVIDIA's library cannot be loaded: {}", why)};
        }
    }
    return *first;
}

base::Status initialize(Opened& opened) {
    const api::Functions& f = opened.functions;
    if (!f.init || !f.count || !f.byIndex || !f.memory) {
        return base::Error{
            "the driver's library is too old, or not NVIDIA's: it lacks the functions that "
            "list GPUs (driver 319 has them)"};
    }
    if (const api::Return code = f.init(); code != api::kSuccess) {
        return base::Error{meaning(f, code)};
    }
    opened.initialized = true;
    return {};
}

std::string upperCase(std::string text) {
    for (char& c : text) {
        c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    }
    return text;
}

api::Return lookUp(const api::Functions& nvml, const std::string& gpu, api::Device& device) {
    if (gpu.find(':') != std::string::npos) {
        return call(nvml.byPciBusId, upperCase(gpu).c_str(), &device);
    }
    const bool prefixed = gpu.starts_with("GPU-") || gpu.starts_with("MIG-");
    return call(nvml.byUuid, (prefixed ? gpu : "GPU-" + gpu).c_str(), &device);
}

}  // namespace

base::Result<const api::Functions*> library() {
    static std::mutex mutex;
    static std::map<std::string, Opened> libraries;  // by HIGHWATER_NVML
    const std::lock_guard lock(mutex);
    const std::string key = candidates().front();
    auto at = libraries.find(key);
    if (at == libraries.end()) {
        const auto handle = HIGHWATER_TRY(open());
        at = libraries.emplace(key, Opened{functionsOf(handle), false}).first;
    }
    if (!at->second.initialized) {
        HIGHWATER_TRY(initialize(at->second));
    }
    return &at->second.functions;
}

std::string meaning(const api::Functions& nvml, api::Return code) {
    switch (code) {
        case api::kNoPermission:
            return "the driver does not permit it to this user";
        case api::kDriverNotLoaded:
            return "NVIDIA's driver is installed but not loaded";
        case api::kGpuIsLost:
            return "it has fallen off the bus; restart the machine";
        case api::kResetRequired:
            return "it needs a reset before it can be used again; restart the machine";
        case api::kVersionMismatch:
            return "NVIDIA's driver was updated and the old one is still loaded; restart the machine";
        case api::kFunctionNotFound:
            return "this driver is too old to say";
        default:
            break;
    }
    const char* said = nvml.errorString ? nvml.errorString(code) : nullptr;
    return fmt::format("NVIDIA's driver answered \"{}\" ({})",
                       said && *said ? base::oneLine(said, 100) : "unknown error", code);
}

base::Result<api::Device> deviceOf(const api::Functions& nvml, const std::string& gpu) {
    static std::mutex mutex;
    static std::map<std::pair<const api::Functions*, std::string>, api::Device> known;
    const std::lock_guard lock(mutex);
    if (const auto at = known.find({&nvml, gpu}); at != known.end()) {
        return at->second;
    }
    api::Device device = nullptr;
    const api::Return code = gpu.empty() ? api::kNotFound : lookUp(nvml, gpu, device);
    if (code == api::kGpuIsLost || code == api::kNoPermission) {
        return base::Error{fmt::format("GPU {}: {}", base::oneLine(gpu, 100), meaning(nvml, code))};
    }
    if (code != api::kSuccess) {
        return base::Error{
            fmt::format("there is no GPU \"{}\" here; a UUID or PCI bus id that nvidia-smi -L -q "
                        "shows would be right",
                        base::oneLine(gpu, 100))};
    }
    known.emplace(std::pair(&nvml, gpu), device);
    return device;
}

}  // namespace highwater::nvml
