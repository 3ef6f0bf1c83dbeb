#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace highwater::cli {

struct CalibrateRequest {
    std::vector<std::string> experiments;  ///< files whose convolutions are measured as well
    std::string convolutions;              ///< a file of further ones, one a line; empty: none
    std::string out;                       ///< the table to write; empty: the user's own
    int threads = 0;                       ///< for all; 0: as each experiment says, else LibTorch's choice
    bool only = false;  ///< only what is named: neither the standard convolutions nor the machine's speed
};

/// Measures the standard convolutions, the presets' and those of the experiments, one table for each number
/// of threads (and for oneDNN on and off) that they ask for, with the engine. Progress on stderr; the first
/// interrupt stops it, and what was measured is kept. `tables` gets one object a table. The exit code.
int calibrate(const CalibrateRequest& request, nlohmann::ordered_json& tables);

}  // namespace highwater::cli
