#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/base/units.h"

namespace highwater::base {

/// Reads a whole file as bytes. Error if the file is missing, a directory, unreadable, or larger than `most`
/// bytes; the message names the file.
Result<std::string> readFile(const std::filesystem::path& path, Bytes most = 64 * kMiB);

/// Writes a temporary file in the target's folder, syncs it, then renames it over the target. A reader sees
/// the old text or the new text, never a part of one.
Status writeFileAtomically(const std::filesystem::path& path, std::string_view text);

}  // namespace highwater::base
