#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "core/base/result.h"

/// The results, one JSON object per line, written immediately: a crash loses only the line being written.
namespace highwater::kit {

using Json = nlohmann::ordered_json;

class Journal {
public:
    explicit Journal(std::filesystem::path path) : path_(std::move(path)) {}
    /// Appends one line and closes the file again. Throws std::runtime_error if that fails.
    void add(const Json& line) const;
    /// All complete lines; those that are not JSON (after a crash during a write) are skipped.
    std::vector<Json> read() const;
    const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

}  // namespace highwater::kit
