#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/predict/tables/estimate.h"

/// The memory of the CUDA context on a GPU, if it is known better on this machine than in the GPU's profile.
/// Stored by profile in calibration/contexts.json of the user's store; loadProfile() and loadProfiles() apply
/// it.
namespace highwater::predict {

struct KeptContext {
    Estimate bytes;      ///< measured: smallest, latest and largest of the runs; given: givenContext()
    bool given = false;  ///< entered by the user; otherwise measured by runs on this machine
    bool operator==(const KeptContext&) const = default;
};

/// The range for other networks, given the user's value for one: libraries and kernels are loaded when they
/// are first used. 134 runs on one H200 with one LibTorch took 628 to 768 MiB (docs/memory-model.md, section
/// 1).
Estimate givenContext(base::Bytes bytes);

std::filesystem::path contextsFile();
/// By the profiles' ids; empty if there is no file. Error, which names the file: it is damaged.
base::Result<std::map<std::string, KeptContext>> keptContexts();

/// Stores the user's value for a profile. Error: there is no such profile; it is all of the GPU's memory; it
/// cannot be written.
base::Status keepGivenContext(const std::string& profile, base::Bytes bytes);
/// Returns to the profile's own value, until a run measures it. Error: it cannot be written.
base::Status forgetContext(const std::string& profile);
/// Stores the value that a run measured on a GPU of this machine, which its driver calls `name`. Does nothing
/// if that GPU has no profile, is pretended, or has a value given by the user. Error: it cannot be written.
base::Status keepMeasuredContext(std::string_view name, base::Bytes memory, base::Bytes bytes);

}  // namespace highwater::predict
