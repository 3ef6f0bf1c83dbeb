#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace highwater::cli {

struct CalibrateRequest {
    std::vector<std::string> experiments;  ///< experiments whose convolutions are measured too
    std::string convolutions;              ///< a file with further convolutions, one per line; empty: none
    std::string out;                       ///< the table to write; empty: the user's own table
    int threads = 0;    ///< for all tables; 0: as each experiment says, else LibTorch's choice
    bool only = false;  ///< measure neither the standard convolutions nor the machine's speed
};

/// Measures, with the engine, the standard convolutions and those of the presets and the experiments: one
/// table for each number of threads, and for oneDNN on and off, that they ask for. Progress goes to stderr.
/// The first interrupt stops it and keeps what was measured. Adds one object per table to `tables`. Returns
/// the exit code.
int calibrate(const CalibrateRequest& request, nlohmann::ordered_json& tables);

}  // namespace highwater::cli
