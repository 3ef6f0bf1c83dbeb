#include "core/devices/devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace highwater::devices {
namespace {

int majorOf(const std::string& version) {
    return std::atoi(version.c_str());  // 0 if it is not a number
}

std::optional<std::string_view> visibleDevices() {
    const char* text = std::getenv("CUDA_VISIBLE_DEVICES");
    return text ? std::optional<std::string_view>(text) : std::nullopt;
}

/// Returns "cuda:1" if CUDA shows this GPU.
std::string idOf(const nvml::Gpu& gpu, const std::vector<nvml::Gpu>& visible) {
    const auto at = std::find(visible.begin(), visible.end(), gpu);
    return at == visible.end() ? std::string() : fmt::format("cuda:{}", at - visible.begin());
}

std::string whyNot(const GpuHere& here, const base::Result<predict::EngineVersions>& engine,
                   const std::string& driverCuda) {
    if (!here.gpu.problem.empty()) {
        return here.gpu.problem;
    }
    if (here.id.empty()) {
        return "CUDA_VISIBLE_DEVICES leaves it out";
    }
    if (!engine) {
        return engine.error().message;
    }
    if (engine->cuda.empty()) {
        return "the engine was built for the CPU only; `highwater-cli hosts add NAME . --python PATH` and "
               "`hosts check NAME` build one for a PyTorch that has CUDA";
    }
    return obstacle(engine->cuda, driverCuda, here.gpu);
}

GpuHere describe(const nvml::Gpu& gpu, const std::vector<nvml::Gpu>& visible,
                 const std::vector<predict::DeviceProfile>& profiles) {
    GpuHere here;
    here.gpu = gpu;
    here.id = idOf(gpu, visible);
    if (const auto* profile = predict::profileOf(profiles, gpu.name, gpu.memory)) {
        here.profile = profile->id;
    }
    const std::string& name = gpu.uuid.empty() ? gpu.pciBusId : gpu.uuid;
    if (const auto use = nvml::deviceUse(name)) {
        here.use = *use;
    }
    return here;
}

}  // namespace

std::string obstacle(const std::string& engineCuda, const std::string& driverCuda, const nvml::Gpu& gpu) {
    constexpr int kTuring = 75, kWithoutVolta = 13;
    if (majorOf(driverCuda) > 0 && majorOf(driverCuda) < majorOf(engineCuda)) {
        return fmt::format("the driver supports CUDA {} and the engine was built with {}; update the driver",
                           driverCuda, engineCuda);
    }
    if (gpu.architecture > 0 && gpu.architecture < kTuring && majorOf(engineCuda) >= kWithoutVolta) {
        return fmt::format(
            "CUDA {} has nothing for compute capability {}.{}; build the engine with a LibTorch "
            "for CUDA 12",
            engineCuda, gpu.architecture / 10, gpu.architecture % 10);
    }
    return {};
}

GpusHere gpusHere(const base::Result<predict::EngineVersions>& engine) {
    GpusHere here;
    if (engine) {
        here.engineCuda = engine->cuda;
    } else {
        here.noEngine = engine.error().message;
    }
    const auto all = nvml::gpus();
    if (!all) {
        here.none = "no NVIDIA driver here: " + all.error().message;
        return here;
    }
    here.driver = nvml::driverVersion();
    here.driverCuda = nvml::cudaVersion();
    if (all->empty()) {
        here.none = "NVIDIA's driver is here, but no GPU that it shows to this user";
    }
    const auto profiles = predict::loadProfiles();
    const auto visible = nvml::visibleToCuda(*all, visibleDevices());
    for (const nvml::Gpu& gpu : *all) {
        here.gpus.push_back(
            describe(gpu, visible, profiles ? *profiles : std::vector<predict::DeviceProfile>()));
        here.gpus.back().whyNot = whyNot(here.gpus.back(), engine, here.driverCuda);
    }
    return here;
}

}  // namespace highwater::devices
