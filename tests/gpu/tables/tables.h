#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/predict/tables/gpu_table.h"
#include "core/predict/tables/profile.h"
#include "tests/gpu/reference_file.h"

/// From what the validation kit measured to what predictions use: GPU tables and the measured parts of device
/// profiles.
namespace highwater::reference {

struct MeasuredConvolution {
    predict::GpuConvolution op;
    predict::GpuOpRow row;
};
/// The `convolutions` of a file. LibTorch keeps cuDNN's plan by the convolution, whether `benchmark` chose it
/// or not, so where both were measured in one process (no `timed_apart` in the file) the later of the two ran
/// the earlier one's plan and is left out. Errors name the file and the entry.
base::Result<std::vector<MeasuredConvolution>> convolutionsOf(const std::string& text,
                                                              const std::string& name);

/// A file of a GPU, and what it says of convolutions.
struct Source {
    File file;
    std::vector<MeasuredConvolution> convolutions;
    predict::GpuKey key;
};
/// Errors, one line: a file that is no measurement (kind "cpu" or "standin"), of a GPU without a profile, or
/// with versions that cannot be read.
base::Result<Source> sourceOf(const std::string& text, const std::string& name,
                              const std::vector<predict::DeviceProfile>& profiles);

/// One table for each key; where two files measured the same, the later one counts.
std::map<predict::GpuKey, predict::GpuTable> tablesOf(const std::vector<Source>& sources);

// --- efficiencies.cpp
/// Which shares of a device's roofs the families of operators reached: 5th, 50th and 95th percentile, where
/// there are at least five values; and the least time of a kernel.
///
/// Convolutions: their rows, where neither memory (at more than half of its roof) nor launches (less than
/// five times their least time) decided the time. Where the profile states what decides 3d convolutions,
/// these say which share that part reached (core/predict/fit/conv_cost.h). Other families: layers of the
/// experiments that consist of one family in a phase, without copies between layouts and not limited by their
/// longest block of threads, and the optimizer. The least time: that of a layer of one kernel in a run, or
/// where there are too few of them, of single convolutions.
struct Efficiencies {
    double launchUs = 0;  ///< 0: not known
    std::map<std::string, predict::Efficiency> compute, memory;
    std::map<std::string, std::size_t> values;  ///< how many each family had
};
/// The shares that the other parts of a 3d convolution's time are taken to reach where one is learnt: about
/// an H200's. Not the profile's, so that tables made again are the same.
struct RestOfConvolution {
    double plain = 0.42, weight = 0.32, tensor = 0.65, moved = 0.17, gather = 0.19, gatherTf32 = 0.31;
};
inline constexpr RestOfConvolution kRestOfConvolution;
Efficiencies efficienciesOf(const std::vector<Source>& sources, const predict::DeviceProfile& profile);

// --- profile_update.cpp
/// The text of the profile's file with what the sources measured of the device: its memory, the CUDA context
/// (least, median and most of the experiments), cuBLAS's workspace (the largest where cuDNN was off), launch
/// time, efficiencies, and notes that say so. `sources` are all of this profile's device.
base::Result<std::string> updatedProfile(const std::string& text, const std::vector<Source>& sources,
                                         const predict::DeviceProfile& profile);
/// The text with another workspace_table.
base::Result<std::string> withTable(const std::string& text, const std::string& name,
                                    const std::string& table);

/// Everything: reads `references`/*.json, writes `resources`/calibration/gpu and the profiles of the devices
/// (their tables' names into all profiles of their architecture). What it did and what it left out, one line
/// each. Errors: nothing there that is a measurement, a file that cannot be read or written.
base::Result<std::vector<std::string>> makeTables(const std::filesystem::path& references,
                                                  const std::filesystem::path& resources);

}  // namespace highwater::reference
