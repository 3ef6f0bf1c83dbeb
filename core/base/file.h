#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/base/units.h"

namespace highwater::base {

/// A whole file as bytes. Errors (missing, a directory, unreadable, larger than `most`) name the file.
Result<std::string> readFile(const std::filesystem::path& path, Bytes most = 64 * kMiB);

/// Writes beside the target, syncs, then renames over it: readers see the old text or the new, never a part.
Status writeFileAtomically(const std::filesystem::path& path, std::string_view text);

}  // namespace highwater::base
