#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "core/base/result.h"

namespace highwater::hosts {

/// The SHA-256 of a file's content as 64 hexadecimal digits, from the program sha256sum. `fd` stays where it
/// is. `meanwhile` is called every 30 ms at the latest. Errors: there is no such program, the file cannot be
/// read, "cancelled".
base::Result<std::string> sha256Of(int fd, const std::atomic<bool>* cancel = nullptr,
                                   const std::function<void()>& meanwhile = {});

/// Whether a text can be such a digest.
bool isSha256(const std::string& text);

}  // namespace highwater::hosts
