#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/predict/tables/gpu_table.h"
#include "core/predict/tables/profile.h"
#include "tests/gpu/reference_file.h"

/// Converts the validation kit's measurements to what predictions use: GPU tables and the measured parts of
/// device profiles.
namespace highwater::reference {

struct MeasuredConvolution {
    predict::GpuConvolution op;
    predict::GpuOpRow row;
};
/// The `convolutions` of a file. LibTorch caches cuDNN's plan by convolution, whether or not `benchmark`
/// chose it, so if both were measured in one process (no `timed_apart` in the file), the later of the two ran
/// the earlier one's plan and is left out. Errors name the file and the entry.
base::Result<std::vector<MeasuredConvolution>> convolutionsOf(const std::string& text,
                                                              const std::string& name);

/// A GPU's file, and its convolutions.
struct Source {
    File file;
    std::vector<MeasuredConvolution> convolutions;
    predict::GpuKey key;
};
/// Errors, one line: a file that is not a measurement (kind "cpu" or "standin"), of a GPU without a profile,
/// or with versions that cannot be parsed.
base::Result<Source> sourceOf(const std::string& text, const std::string& name,
                              const std::vector<predict::DeviceProfile>& profiles);

/// One table for each key; if two files measured the same, the later one is used.
std::map<predict::GpuKey, predict::GpuTable> tablesOf(const std::vector<Source>& sources);

// --- efficiencies.cpp
/// The fractions of a device's roofs that the families of operators reached: 5th, 50th and 95th percentile,
/// if there are at least five values; and the minimum time of a kernel.
///
/// Convolutions: their rows, if neither memory (more than half of its roof) nor launches (less than five
/// times their minimum time) limited the time. If the profile says what limits 3D convolutions, these give
/// the fraction that this part reached (core/predict/fit/conv_cost.h). Other families: layers of the
/// experiments that consist of one family in a phase, without copies between layouts and not limited by their
/// longest thread block, and the optimizer. The minimum time: that of a layer of one kernel in a run or, if
/// there are too few of them, of single convolutions.
struct Efficiencies {
    double launchUs = 0;  ///< 0: unknown
    std::map<std::string, predict::Efficiency> compute, memory;
    std::map<std::string, std::size_t> values;  ///< the number of values of each family
};
/// The assumed fractions for the other parts of a 3D convolution's time while one is learned: about those of
/// an H200. They are not the profile's, so that recreated tables are the same.
struct RestOfConvolution {
    double plain = 0.42, weight = 0.32, tensor = 0.65, moved = 0.17, gather = 0.19, gatherTf32 = 0.31;
};
inline constexpr RestOfConvolution kRestOfConvolution;
Efficiencies efficienciesOf(const std::vector<Source>& sources, const predict::DeviceProfile& profile);

// --- profile_update.cpp
/// The text of the profile's file with what the sources measured on the device: its memory, the CUDA context
/// (minimum, median and maximum of the experiments), cuBLAS's workspace (the largest with cuDNN off), launch
/// time, efficiencies, and notes about them. `sources` are all of this profile's device.
base::Result<std::string> updatedProfile(const std::string& text, const std::vector<Source>& sources,
                                         const predict::DeviceProfile& profile);
/// The text with another workspace_table.
base::Result<std::string> withTable(const std::string& text, const std::string& name,
                                    const std::string& table);

/// Does everything: reads `references`/*.json, writes `resources`/calibration/gpu and the profiles of the
/// devices (their tables' names into all profiles of their architecture). Returns what it did and what it
/// left out, one line each. Errors: there is no measurement, a file cannot be read or written.
base::Result<std::vector<std::string>> makeTables(const std::filesystem::path& references,
                                                  const std::filesystem::path& resources);

}  // namespace highwater::reference
