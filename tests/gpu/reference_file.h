#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/wire/events.h"

/// Measurements of the validation kit: files of the format highwater.gpu-reference/1
/// (resources/schema/gpu-reference.json), in tests/gpu/reference.
namespace highwater::reference {

enum class Kind {
    Gpu,     ///< measured on a GPU
    Cpu,     ///< the kit's rehearsal
    Standin  ///< LibTorch's CUDA allocator and operators without a GPU; not a measurement
};

struct Measured {
    std::string name, family;
    stack::Experiment experiment;
    std::optional<wire::RunResult> result;
    std::string why;  ///< skipped or failed, if there is no result
};

/// A step of a capacity ladder: whether the experiment ran within the budget.
struct Rung {
    std::string ladder, name;
    stack::Experiment experiment;
    base::Bytes budget = 0;
    bool outOfMemory = false;
};

struct OutOfMemory {
    int tried = 0, provoked = 0, recovered = 0;
};

struct Overhead {
    std::string name;
    double engineOverBare = 0, tracedOverBare = 0;  ///< medians
    /// Both loops used the same switches. An early kit left the bare loop with LibTorch's defaults, including
    /// TF32: its ratios compare fp32 with TF32.
    bool comparable = false;
};

struct File {
    std::string name;  ///< the file name, without its folder
    Kind kind = Kind::Cpu;
    std::string when;
    wire::Environment environment;
    std::vector<Measured> experiments;
    std::vector<Rung> ladder;  ///< those that failed otherwise are left out
    OutOfMemory oom;
    std::vector<Overhead> overhead;
    std::size_t convolutions = 0;
    std::vector<std::string> leftOut;
};

/// Errors, one line: the file, and what is wrong in it.
base::Result<File> parseReference(const std::string& text, const std::string& name);

/// All *.json of a folder, by name. Empty if the folder is empty or missing.
base::Result<std::vector<File>> loadReferences(const std::filesystem::path& folder);

}  // namespace highwater::reference
