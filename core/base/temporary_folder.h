#pragma once

#include <filesystem>
#include <string_view>

#include "core/base/result.h"

namespace highwater::base {

/// Makes a new folder for this user alone in the system's temporary folder, "PREFIXa1B2c3". Error, one line:
/// it cannot be made.
Result<std::filesystem::path> makeTemporaryFolder(std::string_view prefix);

}  // namespace highwater::base
