#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/units.h"
#include "core/memory/allocator_config.h"
#include "core/predict/estimate.h"
#include "core/predict/tables/calibration.h"

/// A GPU that need not be here. Read from resources/profiles/ID.json (schema: profile.json).
namespace highwater::predict {

/// 9.10.2 as {9, 10, 2}.
struct CudnnVersion {
    int major = 9, minor = 0, patch = 0;
    auto operator<=>(const CudnnVersion&) const = default;
};
/// "2.4", "2.4.1" (the patch counts for nothing); "9", "9.10", "9.10.2". Errors say what would be right.
base::Result<memory::TorchVersion> parseTorchVersion(std::string_view text);
base::Result<CudnnVersion> parseCudnnVersion(std::string_view text);
std::string toText(const CudnnVersion& version);
std::string toText(const memory::TorchVersion& version);
/// The cuDNN that the official wheels of that release bring: those of PyPI for Linux. (The CUDA 13 wheels of
/// 2.9 and 2.10, from PyTorch's own index, bring 9.13 and 9.15.) Releases that are not known count as the
/// newest before them.
CudnnVersion bundledCudnn(memory::TorchVersion version);
/// What a prediction assumes where nothing was said: the release that the validation kit runs.
inline constexpr memory::TorchVersion kDefaultTorch{2, 11};

struct DeviceProfile {
    enum class Source { Measured, Datasheet };
    std::string id;          ///< "h100", "a100-40", ... (contract)
    std::string name;        ///< "NVIDIA H100 80 GB"
    int architecture = 90;   ///< compute capability x 10
    base::Bytes memory = 0;  ///< what the driver reports as the device's total
    Source memorySource = Source::Datasheet;
    Estimate context;                          ///< the CUDA context, outside the allocator
    Source contextSource = Source::Datasheet;  ///< Datasheet: what is believed of the generation
    base::Bytes cublasWorkspace = 0;
    // Roofs; dense, without sparsity. Multiply and add count as two.
    double fp32 = 0, tf32 = 0, fp16 = 0, bf16 = 0;  ///< FLOP/s; 0 where the hardware has none
    double bytesPerSecond = 0;
    Source speedSource = Source::Datasheet;
    double launchUs = 0;  ///< the least time of a kernel, launch included
    /// By family, as CpuSpeed::compute; "conv/tensor" where tensor cores (tf32, fp16, bf16) do the work.
    std::map<std::string, Efficiency> compute;
    std::map<std::string, Efficiency> memoryEfficiency;
    Source efficiencySource = Source::Datasheet;  ///< of `compute` and `memoryEfficiency`, and of launchUs
    /// The newest GPU table (gpu_table.h) measured on this architecture, a name in resources/calibration/gpu;
    /// empty: none. Which table a prediction takes is decided by its versions, not by this.
    std::string workspaceTable;
    std::vector<std::string> notes;  ///< where the figures are from
};

/// All profiles, in the order of the list on screen. Errors name the file and the key.
base::Result<std::vector<DeviceProfile>> loadProfiles();
base::Result<DeviceProfile> loadProfile(std::string_view id);  ///< the error lists the ids there are

/// The profile of a GPU that is here: the driver's name for it ("NVIDIA A100-SXM4-80GB") says the same model,
/// whatever its form, and its memory differs by less than a tenth. Null: none; a "Ti" or a "Laptop GPU" is
/// another model.
const DeviceProfile* profileOf(const std::vector<DeviceProfile>& profiles, std::string_view name,
                               base::Bytes memory);

}  // namespace highwater::predict
