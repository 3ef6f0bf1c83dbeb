#pragma once

#include <cstddef>

#include "core/base/result.h"

namespace highwater::base {

/// Lets this process, and the programs it starts, open `more` additional files. Raises the soft limit
/// (RLIMIT_NOFILE) as far as the hard limit allows. Error if the hard limit is too low; the message has both
/// numbers.
Status allowOpenFiles(std::size_t more);

}  // namespace highwater::base
