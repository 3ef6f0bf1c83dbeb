#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace highwater::engine_app {

struct Options {
    std::string runFolder;   ///< folder with experiment.json, for a recorded run; or
    std::string experiment;  ///< an experiment's file, for a run that is not recorded
    std::string device = "cpu";
    int steps = 20;
    int warmup = 3;
    std::optional<std::int64_t> budget;
    std::vector<int>
        volumes;  ///< file descriptors of handover files: the channels; for a cohort, case by case
    int labels = -1;
    bool noTrace = false;      ///< record no trace
    bool traceChunks = false;  ///< record it as trace.chunks instead of trace.db
    int ranks = 1;             ///< number of processes that train together (data-parallel)
    int rank = 0;              ///< the rank of this process; rank 0 starts the others
    int link = -1;             ///< other ranks: file descriptor of the shared memory
    bool gradientAsBucketView = false;
    // --patches
    int patches = 0;
    std::int64_t first = 0;
    std::string out;
    // --calibrate
    std::string table;       ///< the file or folder to write to
    std::string operations;  ///< a file of convolutions, one per line
    int threads = 0;         ///< 0: LibTorch's default
    bool onednn = true;
    bool speed = false;        ///< measure the machine's speed too
    bool environment = false;  ///< only print the versions of the libraries
};

/// Returns std::nullopt if the program should exit at once with `exitCode`: help was shown, or the arguments
/// are wrong (one line on stderr, 2).
std::optional<Options> parseOptions(int argc, char** argv, int& exitCode);

}  // namespace highwater::engine_app
