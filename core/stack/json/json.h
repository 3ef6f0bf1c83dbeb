#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/stack/experiment.h"

namespace highwater::stack {

/// Writes the experiment as highwater.experiment/1. Fields that equal their default are left out, except a
/// layer's out_channels and kernel_size. Parsing the result gives an equal value, except that fields that do
/// not apply to the value's kind are not written (the threshold of a target of classes, a scale_factor next
/// to a size). The keys and their ranges are in fields.h.
nlohmann::ordered_json toJson(const Experiment& experiment);
std::string toText(const Experiment& experiment);  ///< indented, with a final newline

/// Reads highwater.experiment/1 strictly: an unknown key is an error. Every error begins with `name`,
/// followed by the field's JSON Pointer and what would be right. Ranges are checked here, shapes in
/// inferShapes.
base::Result<Experiment> parseExperiment(std::string_view text, std::string_view name);
/// The same from parsed JSON, e.g. from a sweep. Every error begins with `where`.
base::Result<Experiment> experimentFromJson(const nlohmann::ordered_json& json, std::string_view where);

/// Makes the experiment's relative paths (scans, cohort, labels) absolute, relative to `folder`; an empty
/// folder means the current one. The phantom (base::kHeadPhantom) is not changed.
void resolvePaths(Experiment& experiment, const std::filesystem::path& folder);

/// Reads a file. Relative paths in it become absolute, relative to the file's folder.
base::Result<Experiment> loadExperiment(const std::filesystem::path& path);
/// Writes a file atomically. Paths inside the file's folder become relative to it.
base::Status saveExperiment(const Experiment& experiment, const std::filesystem::path& path);

}  // namespace highwater::stack
