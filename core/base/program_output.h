#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "core/base/process.h"

namespace highwater::base {

/// Runs a program to its end and returns what it wrote on stdout; `launch.output` is set here. The program is
/// killed where it writes more than `most` bytes or is silent for longer than `patience`. Error, one line: it
/// cannot be started, was killed, or ended with another exit code than 0.
Result<std::string> outputOf(Launch launch, std::size_t most, std::chrono::steady_clock::duration patience);

}  // namespace highwater::base
