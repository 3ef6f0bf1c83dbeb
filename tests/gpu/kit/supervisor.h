#pragma once

#include "tests/gpu/kit/options.h"

namespace highwater::kit {

/// Runs the parts one after the other, each within its share of the time (unused time goes to the next one),
/// restarts a part after an experiment crashed its process, and writes the file after each part. Exit codes:
/// 0, 2 for a wrong option, 4 if nothing could be measured, 130 interrupted.
int supervise(const Options& options);

}  // namespace highwater::kit
