#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace highwater::engine_app {

struct Options {
    std::string runFolder;   ///< holds experiment.json; or
    std::string experiment;  ///< an experiment's file, nothing is recorded
    std::string device = "cpu";
    int steps = 20;
    int warmup = 3;
    std::optional<std::int64_t> budget;
    std::vector<int> volumes;  ///< file descriptors of handover files: channels, of a cohort case by case
    int labels = -1;
    bool noTrace = false;  ///< no trace.db into the run's folder
    // --patches
    int patches = 0;
    std::int64_t first = 0;
    std::string out;
    // --calibrate
    std::string table;       ///< the file or folder to write to
    std::string operations;  ///< a file of convolutions, one a line
    int threads = 0;         ///< 0: LibTorch's choice
    bool onednn = true;
    bool speed = false;        ///< measure the machine's speed too
    bool environment = false;  ///< only say what it was linked with
};

/// Nothing where the program should leave at once with `exitCode`: help was shown, or the arguments are wrong
/// (one line on stderr, 2).
std::optional<Options> parseOptions(int argc, char** argv, int& exitCode);

}  // namespace highwater::engine_app
