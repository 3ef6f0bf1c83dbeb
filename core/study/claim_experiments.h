#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/base/json_reader.h"
#include "core/study/trial.h"

/// Reads the experiments of a claim's file. Private to core/study.
namespace highwater::study {

/// An experiment as written in the file, before it is checked.
struct Draft {
    std::string name;
    base::Json json;               ///< highwater.experiment/1
    std::filesystem::path folder;  ///< relative paths in it are relative to this folder
    std::optional<Bytes> budget;
};

/// Sets `value` at a JSON Pointer; null removes the key. Missing objects are created; list entries must
/// exist. The message of an Error has no name in front.
base::Status setAt(base::Json& json, std::string_view pointer, const base::Json& value);

/// The claim's "experiments" in order. An experiment that is based on another one is already resolved.
std::vector<Draft> readDrafts(base::JsonReader& claim, const std::filesystem::path& folder);

/// Parses a draft and infers its shapes. Error if it is not a valid experiment.
base::Result<Subject> subjectOf(const Draft& draft);

}  // namespace highwater::study
