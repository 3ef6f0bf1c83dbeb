#pragma once

#include <string>
#include <vector>

#include "core/runs/run_store.h"

namespace highwater::runs {

/// Settings that differ, as "name before → after": the step, the input, the optimizer, the backend, the
/// layers ("layer 3 conv kernel_size 3 → 5"), the machine. Empty if there is no difference. Private to
/// core/runs.
std::vector<std::string> differences(const RunRecord& run, const RunRecord& baseline);

}  // namespace highwater::runs
