#pragma once

#include <filesystem>
#include <string_view>

#include "core/base/result.h"

namespace highwater::base {

/// Creates a folder that only this user can read in the system's temporary folder, "PREFIXa1B2c3". Error, one
/// line: it cannot be created.
Result<std::filesystem::path> makeTemporaryFolder(std::string_view prefix);

}  // namespace highwater::base
