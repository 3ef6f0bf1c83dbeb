#pragma once

#include <optional>
#include <string>

namespace highwater::scan::reader {

/// Whether the name ends with .hdr or .hdr.gz, in small or capital letters.
bool namedHdr(const std::string& path);

/// Returns the other file of a .hdr/.img pair, which has the same stem. If it exists both with and without
/// .gz, the one that is compressed like `path` is taken. If it does not exist, returns the name that it
/// should have. Returns std::nullopt if `path` has another suffix.
std::optional<std::string> pairedFile(const std::string& path);

}  // namespace highwater::scan::reader
