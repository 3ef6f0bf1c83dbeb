#pragma once

#include <filesystem>
#include <vector>

namespace highwater::runs {

/// The loss of every step, warm-up included.
struct Losses {
    std::vector<double> values;
    int warmup = 0;
};

/// Of the run in this folder, as far as it is; much quicker than loading the run. None if there are none.
Losses readLosses(const std::filesystem::path& runFolder);

}  // namespace highwater::runs
