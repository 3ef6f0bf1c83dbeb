#pragma once

#include "tests/gpu/kit/options.h"

namespace highwater::kit {

/// Starts the parts one after the other, each within its share of the time (what one leaves over goes to the
/// next), begins a part again where an experiment took its process with it, and writes the file after each
/// part. The exit code: 0, 2 for a wrong option, 4 where nothing could be measured, 130 interrupted.
int supervise(const Options& options);

}  // namespace highwater::kit
