#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/stack/experiment.h"

namespace highwater::stack {

/// The experiment as highwater.experiment/1. Fields that equal their default are left out (a layer's
/// out_channels and kernel_size are always there); parsing gives an equal value, except that fields which do
/// not belong to the value's kind are not written (a threshold of a target of classes, a scale_factor beside
/// a size). The keys with their ranges stand once, in fields.h.
nlohmann::ordered_json toJson(const Experiment& experiment);
std::string toText(const Experiment& experiment);  ///< indented, with a final newline

/// Reads highwater.experiment/1 strictly (an unknown key is an error). `name` starts every error, followed by
/// the field's JSON Pointer and what would be right. Ranges are checked here, shapes in inferShapes.
base::Result<Experiment> parseExperiment(std::string_view text, std::string_view name);
/// The same from parsed JSON, e.g. inside a sweep; `where` starts every error.
base::Result<Experiment> experimentFromJson(const nlohmann::ordered_json& json, std::string_view where);

/// Makes the experiment's relative paths (scans, cohort, labels) absolute, against `folder`; an empty one is
/// the current folder. The phantom (base::kHeadPhantom) stays what it is.
void resolvePaths(Experiment& experiment, const std::filesystem::path& folder);

/// Reads a file; relative paths in it become absolute, against the file's folder.
base::Result<Experiment> loadExperiment(const std::filesystem::path& path);
/// Writes atomically; paths inside the file's folder become relative to it.
base::Status saveExperiment(const Experiment& experiment, const std::filesystem::path& path);

}  // namespace highwater::stack
