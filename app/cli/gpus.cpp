#include "app/cli/devices.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/cli/output.h"
#include "core/base/text.h"

namespace highwater::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string idOf(const devices::GpuHere& here) {
    return here.id.empty() ? fmt::format("gpu:{}", here.gpu.index) : here.id;
}

std::string capability(const nvml::Gpu& gpu) {
    return fmt::format("{}.{}", gpu.architecture / 10, gpu.architecture % 10);
}

/// "140 GiB of memory (1.00 GiB in use by 2 processes)"
std::string memory(const devices::GpuHere& here) {
    if (here.gpu.memory == 0) {
        return "the processor's memory";
    }
    std::string text = base::formatBytes(here.gpu.memory) + " of memory";
    if (!here.use) {
        return text;
    }
    text += fmt::format(" ({} in use", base::formatBytes(here.use->used));
    if (const int n = here.use->otherProcesses; n > 0) {
        text += fmt::format(" by {}", base::counted(n, "process"));
    }
    return text + ")";
}

void print(const devices::GpuHere& here) {
    const nvml::Gpu& gpu = here.gpu;
    printText("{:<7} {}", idOf(here), gpu.name.empty() ? "a GPU" : gpu.name);
    if (gpu.problem.empty()) {
        printText(", {}", memory(here));
    }
    if (gpu.architecture > 0) {
        printText(", compute capability {}", capability(gpu));
    }
    printText("\n");
    if (!here.profile.empty()) {
        printText("        predicted as {}\n", here.profile);
    } else if (gpu.problem.empty()) {
        printText("        no profile to predict with\n");
    }
    printText("        {}\n",
              here.whyNot.empty() ? fmt::format("runs: --device {}", here.id) : "no runs: " + here.whyNot);
}

}  // namespace

Json gpuJson(const devices::GpuHere& here) {
    const nvml::Gpu& gpu = here.gpu;
    Json json = {{"id", idOf(here)},
                 {"name", gpu.name},
                 {"uuid", gpu.uuid},
                 {"pci_bus_id", gpu.pciBusId},
                 {"memory_bytes", gpu.memory}};
    if (here.use) {
        json["available_bytes"] = here.use->free;
        json["used_bytes"] = here.use->used;
        json["reserved_by_driver_bytes"] = here.use->reservedByDriver;
        json["processes"] = here.use->otherProcesses;
    }
    json["architecture"] = gpu.architecture;
    if (!here.profile.empty()) {
        json["profile"] = here.profile;
    }
    json["runs"] = here.whyNot.empty();
    if (!here.whyNot.empty()) {
        json["why_not"] = here.whyNot;
    }
    return json;
}

Json cudaJson(const devices::GpusHere& here) {
    Json json = {{"driver", here.driver}, {"driver_cuda", here.driverCuda}, {"engine_cuda", here.engineCuda}};
    if (!here.none.empty()) {
        json["no_gpu"] = here.none;
    }
    return json;
}

void printGpus(const devices::GpusHere& here) {
    for (const devices::GpuHere& gpu : here.gpus) {
        print(gpu);
    }
    if (!here.none.empty()) {
        printText("gpu     {}\n", here.none);
    }
    if (!here.driver.empty()) {
        printText("driver  NVIDIA {}{}\n", here.driver,
                  here.driverCuda.empty() ? "" : ", for CUDA up to " + here.driverCuda);
    }
    const std::string engine = here.engineCuda.empty() ? "for the CPU alone" : "with CUDA " + here.engineCuda;
    printText("engine  {}\n", here.noEngine.empty() ? engine : here.noEngine);
}

}  // namespace highwater::cli
