#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/base/descriptor.h"
#include "core/base/result.h"
#include "core/runs/labels.h"

/// A sweep as it is kept in a store, so that what is left of it can be measured later:
/// STORE/sweeps/ID.json, where ID is that of its study.
namespace highwater::study {

struct SweepRecord {
    runs::Study study;
    std::string file;              ///< the sweep's file, as an absolute path; empty: it has none
    nlohmann::ordered_json sweep;  ///< toJson(Sweep)
    std::string device = "cpu";
    int steps = 12;
    std::string executor = "local";       ///< "local", "ssh", "slurm"
    std::vector<std::string> hosts = {};  ///< by name
    /// The PyTorch that its runs go through, in Python; empty: the engine runs them. Which Python that is is
    /// not kept: a store may come from elsewhere, and nothing that it names is started.
    std::string torch = {};
};

/// Written to disk when it returns.
base::Status saveSweep(const std::filesystem::path& store, const SweepRecord& record);

/// The newest sweep in the store from that file, or, where `file` is empty, that is the same as `sweep`.
/// Errors: there is none; it is not the same as `sweep` (but for its least number of repeats, which is the
/// record's).
base::Result<SweepRecord> findSweep(const std::filesystem::path& store, const std::string& file,
                                    const nlohmann::ordered_json& sweep);

/// Held while a sweep is measured, so that only one program does. Error: another one holds it.
base::Result<base::Descriptor> lockSweep(const std::filesystem::path& store, const runs::Study& study);

}  // namespace highwater::study
