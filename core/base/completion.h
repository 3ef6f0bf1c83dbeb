#pragma once

#include <string>
#include <string_view>

#include "core/base/manual.h"

namespace highwater::base {

/// The script that completes commands, options, their choices and file names in a shell: bash, zsh or fish.
Result<std::string> completion(const CommandText& program, std::string_view shell);

}  // namespace highwater::base
