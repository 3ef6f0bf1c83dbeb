#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "core/base/result.h"

/// What was found, one JSON object a line, written as it is found: a crash loses nothing but the line it
/// was in.
namespace highwater::kit {

using Json = nlohmann::ordered_json;

class Journal {
public:
    explicit Journal(std::filesystem::path path) : path_(std::move(path)) {}
    /// Appends one line and closes the file again. Throws std::runtime_error where that cannot be.
    void add(const Json& line) const;
    /// All whole lines; those that are no JSON (a crash in the middle of one) are left out.
    std::vector<Json> read() const;
    const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

}  // namespace highwater::kit
