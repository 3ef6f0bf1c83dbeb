#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/nvml/nvml.h"
#include "core/predict/predict.h"

/// The GPUs that a run on this machine can use, besides its CPU.
namespace highwater::devices {

struct GpuHere {
    nvml::Gpu gpu;
    /// The device's name for a run, "cuda:0"; empty if CUDA does not show it to runs.
    std::string id;
    std::optional<nvml::DeviceUse> use;  ///< the current use; std::nullopt if the driver does not report it
    std::string profile;  ///< id of the predictor's profile, found by model and memory; empty if none
    std::string whyNot;   ///< why no run can use it, one line; empty if one can
    bool operator==(const GpuHere& o) const {
        return gpu == o.gpu && id == o.id && profile == o.profile && whyNot == o.whyNot;
    }
};

struct GpusHere {
    std::vector<GpuHere> gpus;  ///< in the order of nvidia-smi's numbers
    std::string none;           ///< if there are no GPUs, the reason, one line ("no NVIDIA driver here: ...")
    std::string driver;         ///< the driver's version; empty if there is none, or it is unknown
    std::string driverCuda;     ///< the newest CUDA that the driver supports, "13.0"; empty if unknown
    std::string engineCuda;  ///< the CUDA that the engine was built with; empty if it is CPU-only, or there
                             ///< is no engine
    std::string noEngine = {};  ///< if there is no engine to run with, the reason, one line
};

/// Asks the driver, which may take a second if nothing uses the GPUs. Thread-safe. The numbers are CUDA's
/// under CUDA_DEVICE_ORDER=PCI_BUS_ID, with which runs are started; CUDA_VISIBLE_DEVICES is respected.
/// `engine`: the versions of the engine that would run.
GpusHere gpusHere(const base::Result<predict::EngineVersions>& engine = predict::engineVersions());

/// Returns why an engine built with `engineCuda` cannot use that GPU with a driver that supports
/// `driverCuda`. Empty if it can, or if either version is unknown. A driver runs programs built with its own
/// major version of CUDA or an older one: https://docs.nvidia.com/deploy/cuda-compatibility. CUDA 13 begins
/// at compute capability 7.5: https://docs.nvidia.com/cuda/cuda-toolkit-release-notes.
std::string obstacle(const std::string& engineCuda, const std::string& driverCuda, const nvml::Gpu& gpu);

}  // namespace highwater::devices
