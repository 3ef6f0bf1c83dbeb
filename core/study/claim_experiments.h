#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/base/json_reader.h"
#include "core/study/trial.h"

/// The experiments of a claim's file. Private to core/study.
namespace highwater::study {

/// An experiment as the file means it, before it is checked.
struct Draft {
    std::string name;
    base::Json json;               ///< highwater.experiment/1
    std::filesystem::path folder;  ///< relative paths in it begin there
    std::optional<Bytes> budget;
};

/// Sets `value` at a JSON Pointer; null removes the key. Missing objects on the way are made, list entries
/// must exist. Error: why not, without a name before it.
base::Status setAt(base::Json& json, std::string_view pointer, const base::Json& value);

/// The claim's "experiments" in their order, with what is based on another one worked out.
std::vector<Draft> readDrafts(base::JsonReader& claim, const std::filesystem::path& folder);

/// A draft as a valid experiment: parsed, its shapes inferred. Error: without a name before it.
base::Result<Subject> subjectOf(const Draft& draft);

}  // namespace highwater::study
