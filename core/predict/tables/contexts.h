#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/predict/tables/estimate.h"

/// What the CUDA context takes of a GPU, where this machine knows it better than the GPU's profile does. Kept
/// by profile in calibration/contexts.json of the user's store; loadProfile() and loadProfiles() apply it.
namespace highwater::predict {

struct KeptContext {
    Estimate bytes;      ///< measured: least, latest and most of the runs; given: givenContext()
    bool given = false;  ///< the user said it; otherwise runs on this machine measured it
    bool operator==(const KeptContext&) const = default;
};

/// What other networks may take where the user knows it of one: libraries and kernels are loaded when they
/// are first used. 134 runs on one H200 with one LibTorch took 628 to 768 MiB (docs/memory-model.md, section
/// 1).
Estimate givenContext(base::Bytes bytes);

std::filesystem::path contextsFile();
/// By the profiles' ids; empty if there is no file. Error, which names the file: it is damaged.
base::Result<std::map<std::string, KeptContext>> keptContexts();

/// Keeps what the user gave for a profile. Error: there is no such profile; it is all of the GPU's memory; it
/// cannot be written.
base::Status keepGivenContext(const std::string& profile, base::Bytes bytes);
/// From now on the profile's own counts again, until a run measures it. Error: it cannot be written.
base::Status forgetContext(const std::string& profile);
/// Keeps what a run measured on a GPU of this machine, which its driver calls `name`. Does nothing if that
/// GPU has no profile, is pretended, or the user gave a value for it. Error: it cannot be written.
base::Status keepMeasuredContext(std::string_view name, base::Bytes memory, base::Bytes bytes);

}  // namespace highwater::predict
