#pragma once

#include <filesystem>
#include <vector>

namespace highwater::runs {

/// The loss of every step, warm-up included.
struct Losses {
    std::vector<double> values;
    int warmup = 0;
};

/// Reads the losses of the run in this folder so far; much faster than loading the run. Empty if there are
/// none.
Losses readLosses(const std::filesystem::path& runFolder);

}  // namespace highwater::runs
