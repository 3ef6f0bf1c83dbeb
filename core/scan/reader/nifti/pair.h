#pragma once

#include <optional>
#include <string>

namespace highwater::scan::reader {

/// Is named .hdr or .hdr.gz, in small or capital letters.
bool namedHdr(const std::string& path);

/// The other file of a .hdr/.img pair: of the same name, and of two such (one of them .gz) the one that is
/// packed as `path` is. Where there is none, the name it should have; nothing where `path` is named
/// otherwise.
std::optional<std::string> pairedFile(const std::string& path);

}  // namespace highwater::scan::reader
