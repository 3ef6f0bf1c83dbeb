#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/memory/allocator_config.h"
#include "core/predict/axes/cliffs.h"
#include "core/predict/tables/asked_table.h"
#include "core/predict/tables/gpu_table.h"
#include "core/predict/tables/profile.h"
#include "core/predict/target/ranks.h"
#include "core/stack/experiment.h"

namespace highwater::predict {

/// The settings of an experiment that change LibTorch's CUDA operators.
struct CudaSettings {
    stack::Precision precision = stack::Precision::Fp32;
    bool channelsLast = false;
    bool cudnn = true, benchmark = false, deterministic = false;
    bool tf32 = false;  ///< fp32 convolutions may use TF32
    std::optional<base::Bytes> workspaceLimit;
    bool operator==(const CudaSettings&) const = default;
};
CudaSettings cudaSettings(const stack::Experiment& experiment);

/// The device and the software to predict for.
struct Target {
    std::string id = "cpu";  ///< "cpu" or a profile's id
    // cpu
    CpuKey cpu;                                      ///< the machine that runs the engine
    std::shared_ptr<const Calibration> calibration;  ///< for `cpu`; nullptr: guesses only
    /// False: the operators' allocations were not compared with this LibTorch one by one; `notes` has the
    /// details.
    bool compared = true;
    base::Bytes memory = 0;  ///< memory of the machine, or of the GPU; 0 if unknown
    /// Why all figures for this target are guesses, one line each; they are added to Prediction::guesses.
    std::vector<std::string> notes;
    // GPUs
    std::optional<DeviceProfile> gpu;
    CudaVersions versions;
    CudaSettings settings;  ///< those of the predicted experiment; walk() sets them
    /// cuDNN measurements with these versions on this architecture; nullptr if there are none.
    std::shared_ptr<const GpuTable> gpuTable;
    /// cuDNN's answers for this device and version so far; nullptr if the profile has no attributes.
    std::shared_ptr<const AskedTable> asked;
    memory::AllocatorConfig allocator;
    base::Bytes others = 0;  ///< device memory used by other processes
    /// The program that `export pytorch` writes runs the steps, not Highwater's engine. The tensors are
    /// the same, but Python frees some later: a function's variables at its end, a loop's at the next turn.
    bool inPython = false;
    /// All figures of a prediction are for one rank; all ranks need the same. On the CPU they share `memory`;
    /// each rank has its own GPU.
    Ranks ranks;
    /// GPUs: whether a later cuDNN is asked instead: `versions.cudnn` is later than that of this LibTorch's
    /// wheels. The older one may use other plans, including ones without a workspace.
    bool asksLaterCudnn() const;
};

/// The versions that this program's engine was linked with, read from the engine.json next to the engine (its
/// build writes it). Error if there is no engine, or no engine.json.
struct EngineVersions {
    std::string libtorch, onednn;
    std::string cuda = {};  ///< CUDA version that LibTorch was built with, "13.0"; empty for a CPU-only build
    std::string cudnn = {};  ///< "9.19.0"; empty for a CPU-only build
};
base::Result<EngineVersions> engineVersions();
/// Returns the calibration key of that engine on this machine. Errors as engineVersions.
base::Result<CpuKey> cpuKey(const stack::Backend& backend);

/// The remark on predictions for the CPU with a LibTorch version ("2.11.0"): one line, for Target::notes.
/// Empty if its rules were compared allocation by allocation, or the version is unknown (empty).
std::string cpuRulesNote(std::string_view libtorch);

/// Returns this machine's CPU with its calibration: LibTorch and oneDNN as in this build's engine, the number
/// of threads from `experiment` (0: LibTorch's choice). Without an engine or a table, the target has only
/// guesses and a note about it. Error if a table cannot be read. Tables are cached and loaded again when they
/// change.
base::Result<Target> cpuTarget(const stack::Experiment& experiment);
/// The same with another LibTorch ("2.11.0+cu130") than the engine's. Its oneDNN is that of a table of this
/// LibTorch; without a table, convolutions are guessed.
base::Result<Target> cpuTarget(const stack::Experiment& experiment, std::string_view libtorch);
/// Returns a GPU profile as a target, with the given software versions or the defaults. The allocator follows
/// experiment.backend.alloc_conf unless `allocConf` is given.
base::Result<Target> gpuTarget(std::string_view id, const stack::Experiment& experiment,
                               std::optional<memory::TorchVersion> libtorch = {},
                               std::optional<CudnnVersion> cudnn = {},
                               std::optional<std::string> allocConf = {});

/// A GPU of this machine, as its driver and LibTorch describe it.
struct GpuPresent {
    std::string name;        ///< "NVIDIA H200"
    base::Bytes memory = 0;  ///< the device's total
    int architecture = 0;    ///< compute capability x 10
    memory::TorchVersion libtorch = kDefaultTorch;
    std::optional<CudnnVersion> cudnn = {};  ///< std::nullopt: the cuDNN that this LibTorch's wheel contains
};
/// Returns the target for a run on this GPU: its own profile, or if none is known, the profile of the nearest
/// architecture with this GPU's memory and a note about it.
base::Result<Target> gpuTarget(const GpuPresent& gpu, const stack::Experiment& experiment);

}  // namespace highwater::predict
