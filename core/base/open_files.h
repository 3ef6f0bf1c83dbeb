#pragma once

#include <cstddef>

#include "core/base/result.h"

namespace highwater::base {

/// Lets this process, and the programs it starts, hold so many more files open, by raising the soft limit
/// (RLIMIT_NOFILE) as far as the hard one allows. Error: the hard limit is too low, with both numbers.
Status allowOpenFiles(std::size_t more);

}  // namespace highwater::base
