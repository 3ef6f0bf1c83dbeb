#pragma once

#include <filesystem>
#include <string>

#include "app/desktop/shell/session.h"
#include "core/base/result.h"

namespace highwater::desktop {

/// A session as JSON text. `open`: its window still exists.
std::string sessionText(const Session::State& state, bool open);
/// Reads a session file. Error: it cannot be read, or has keys that this version does not know.
base::Result<Session::State> readSession(const std::filesystem::path& path);

}  // namespace highwater::desktop
