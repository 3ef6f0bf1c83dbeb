#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/base/descriptor.h"
#include "core/base/units.h"

namespace highwater::base {

/// The lines of a file from an untrusted source: a regular one (openRegular), read through a small buffer.
/// Memory is bounded by `longest`, time by `most`. Not thread-safe.
class LineFile {
public:
    /// `longest`: maximum bytes of a line; reading stops at a longer one. `most`: maximum bytes of the file.
    LineFile(const std::filesystem::path& path, Bytes longest, Bytes most);
    /// The next line without its newline; the last one needs none. False at the end, or if the file cannot be
    /// read.
    bool next(std::string& line);

private:
    bool fill();
    std::optional<Descriptor> file_;
    std::string buffer_;
    std::size_t at_ = 0;  ///< position in the buffer
    std::size_t longest_;
    Bytes left_;
};

}  // namespace highwater::base
