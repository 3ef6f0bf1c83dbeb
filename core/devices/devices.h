#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/nvml/nvml.h"
#include "core/predict/predict.h"

/// What a run on this machine can compute on, besides its CPU.
namespace highwater::devices {

struct GpuHere {
    nvml::Gpu gpu;
    /// As a run takes it, "cuda:0"; empty where CUDA shows it to no run.
    std::string id;
    std::optional<nvml::DeviceUse> use;  ///< now; nothing where the driver does not say
    std::string profile;                 ///< of the predictor's, by model and memory; empty: none
    std::string whyNot;                  ///< why no run can use it, one line; empty: one can
    bool operator==(const GpuHere& o) const {
        return gpu == o.gpu && id == o.id && profile == o.profile && whyNot == o.whyNot;
    }
};

struct GpusHere {
    std::vector<GpuHere> gpus;  ///< as nvidia-smi numbers them
    std::string none;           ///< where there is none: why, one line ("no NVIDIA driver here: ...")
    std::string driver;         ///< its version; empty: none, or unknown
    std::string driverCuda;     ///< the newest CUDA it supports, "13.0"; empty: unknown
    std::string engineCuda;     ///< that the engine was built with; empty: for the CPU alone, or no engine
    std::string noEngine = {};  ///< where there is no engine to run with: why, one line
};

/// Asks the driver, which may take a second where nobody uses the GPUs. From any thread. Numbers are CUDA's
/// under CUDA_DEVICE_ORDER=PCI_BUS_ID, with which runs are started, and CUDA_VISIBLE_DEVICES is followed.
/// `engine` is what would run.
GpusHere gpusHere(const base::Result<predict::EngineVersions>& engine = predict::engineVersions());

/// Why an engine built with `engineCuda` cannot use that GPU under a driver that supports `driverCuda`; empty
/// where it can, or where either is not known. A driver runs what was built with its own major version of
/// CUDA, or an older one: https://docs.nvidia.com/deploy/cuda-compatibility. CUDA 13 begins at compute
/// capability 7.5: https://docs.nvidia.com/cuda/cuda-toolkit-release-notes.
std::string obstacle(const std::string& engineCuda, const std::string& driverCuda, const nvml::Gpu& gpu);

}  // namespace highwater::devices
