#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "core/base/result.h"

namespace highwater::hosts {

/// The SHA-256 of a file's content as 64 hexadecimal digits, computed by the program sha256sum. The offset of
/// `fd` does not change. `meanwhile` is called at least every 30 ms. Errors: there is no such program, the
/// file cannot be read, "cancelled".
base::Result<std::string> sha256Of(int fd, const std::atomic<bool>* cancel = nullptr,
                                   const std::function<void()>& meanwhile = {});

/// Whether the text is such a digest.
bool isSha256(const std::string& text);

}  // namespace highwater::hosts
