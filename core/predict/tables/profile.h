#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/units.h"
#include "core/memory/allocator_config.h"
#include "core/predict/tables/calibration.h"
#include "core/predict/tables/estimate.h"

/// GPU profiles: GPUs that need not be in this machine. Read from resources/profiles/ID.json (schema:
/// profile.json).
namespace highwater::predict {

/// A cuDNN version: 9.10.2 is {9, 10, 2}.
struct CudnnVersion {
    int major = 9, minor = 0, patch = 0;
    auto operator<=>(const CudnnVersion&) const = default;
};
/// Read versions: "2.4", "2.4.1" (the patch number is ignored); "9", "9.10", "9.10.2". Errors say what would
/// be right.
base::Result<memory::TorchVersion> parseTorchVersion(std::string_view text);
base::Result<CudnnVersion> parseCudnnVersion(std::string_view text);
std::string toText(const CudnnVersion& version);
std::string toText(const memory::TorchVersion& version);
/// Returns the cuDNN version in the official wheels of that release (those on PyPI for Linux). (The CUDA 13
/// wheels of 2.9 and 2.10, from PyTorch's own index, contain 9.13 and 9.15.) An unknown release counts as the
/// newest known one before it.
CudnnVersion bundledCudnn(memory::TorchVersion version);
/// The release that a prediction assumes by default: the one that the validation kit runs.
inline constexpr memory::TorchVersion kDefaultTorch{2, 11};

/// What cuDNN wants to know of a GPU: what cudaGetDeviceProperties and cudaDeviceGetAttribute give.
struct DeviceAttributes {
    std::int64_t multiprocessors = 0;
    base::Bytes l2Cache = 0;
    base::Bytes sharedPerBlockOptIn = 0;  ///< the most shared memory that a block may ask for
    std::int64_t blocksPerMultiprocessor = 0, threadsPerMultiprocessor = 0;
    std::int64_t clockKHz = 0, memoryClockKHz = 0;
    /// The memory that cuDNN is told, where the profile's was measured since and answers were kept before:
    /// they do not depend on it, but are kept by all that was told. 0: the profile's.
    base::Bytes memory = 0;
};

struct DeviceProfile {
    enum class Source { Measured, Datasheet };
    enum class Kept { No, Given, Measured };
    std::string id;          ///< "h100", "a100-40", ... (contract)
    std::string name;        ///< "NVIDIA H100 80 GB"
    int architecture = 90;   ///< compute capability x 10
    base::Bytes memory = 0;  ///< total memory as the driver reports it
    Source memorySource = Source::Datasheet;
    Estimate context;                          ///< memory of the CUDA context, which is outside the allocator
    Source contextSource = Source::Datasheet;  ///< Datasheet: assumed for this GPU generation
    Kept contextKept = Kept::No;               ///< otherwise `context` is this machine's own (contexts.h)
    base::Bytes cublasWorkspace = 0;
    // Roofs: dense, without sparsity. A multiply-add counts as two operations.
    double fp32 = 0, tf32 = 0, fp16 = 0, bf16 = 0;  ///< FLOP/s; 0 if the hardware has none
    double bytesPerSecond = 0;
    /// Of its link to the host's memory (PCIe), in one direction, bytes in packets included; 0: not known.
    double hostBytesPerSecond = 0;
    Source speedSource = Source::Datasheet;
    double launchUs = 0;  ///< least time of a kernel in microseconds, launch included
    /// By family, as CpuSpeed::compute; "conv/tensor" if tensor cores (tf32, fp16, bf16) compute it. Two of
    /// these may be stated apart: "conv/tf32" and "conv/tensor/channels_last".
    std::map<std::string, Efficiency> compute;
    std::map<std::string, Efficiency> memoryEfficiency;
    Source efficiencySource = Source::Datasheet;  ///< source of `compute`, `memoryEfficiency` and launchUs
    /// The newest GPU table (gpu_table.h) measured on this architecture: a file name in
    /// resources/calibration/gpu; empty if there is none. A prediction does not use this field; it chooses
    /// its table by its versions.
    std::string workspaceTable;
    std::optional<DeviceAttributes> attributes;  ///< without them cuDNN cannot be asked about this GPU
    std::vector<std::string> notes;              ///< the sources of the figures
};

/// Loads all profiles, in the order of the list on screen. Errors name the file and the key.
base::Result<std::vector<DeviceProfile>> loadProfiles();
/// What one can predict for: "cpu", then the profiles' ids by their memory, the smallest first.
std::vector<std::string> targetsByMemory();
base::Result<DeviceProfile> loadProfile(std::string_view id);  ///< the error lists the existing ids

/// Returns the profile of a GPU of this machine: the driver's name ("NVIDIA A100-SXM4-80GB") contains the
/// same model, in whatever form factor, and the memory differs by less than a tenth. Returns nullptr if there
/// is none. A "Ti" or a "Laptop GPU" is another model.
const DeviceProfile* profileOf(const std::vector<DeviceProfile>& profiles, std::string_view name,
                               base::Bytes memory);

}  // namespace highwater::predict
