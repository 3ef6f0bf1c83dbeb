#pragma once

#include <cstdint>
#include <string>

#include "core/pretend/gpus.h"

namespace highwater::pretend {

constexpr int kMostDevices = 8;

// Which of the plans that `benchmark` times is the fastest.
enum class Winner { First, Least, Most };  // in cuDNN's order; by its workspace

// The settings of the pretended device from the environment; README.md lists the variables. An invalid value
// is replaced by the default, with one line on stderr.
struct Settings {
    Gpu gpu;
    std::string deviceName;      // the GPU's name, with a note that nothing is executed
    std::uint64_t contextBytes;  // memory that a context takes
    std::uint64_t othersBytes;   // memory used by an imaginary other process (1)
    int devices;                 // how many of these GPUs there are, 1 to kMostDevices
    std::uint64_t ncclBytes;     // device memory that NCCL takes for each communicator of several ranks
    std::uint64_t rankPatience;  // seconds that a rank waits for the others in one operation of NCCL
    int driverVersion;           // as cudaDriverGetVersion: 1000 * major + 10 * minor; 0: no driver
    std::uint64_t loseAt;        // the device is lost at this launch, counted from 1; 0: never
    int loseCode;                // cudaError_t of the loss
    bool noKernels;              // every launch reports that there is no kernel image for this GPU
    bool zeros;                  // device memory always reads as zero: copies into it are skipped
    bool verbose;
    std::string trace;         // a file that gets one line per call; empty: none
    std::string workspace;     // the rules of workspace_rules.h
    std::string plans;         // the file of told_plans.h; empty: none
    std::string asked;         // the program highwater-cudnn, which is asked for plans; empty: none
    std::uint64_t patience;    // seconds to wait for its answer
    std::string cudnnFolder;   // the folder of the libcudnn.so.9 that it asks; empty: that of this process
    std::string report;        // the file for the report of report.h; empty: none
    Winner winner;             // for `benchmark`
    std::size_t cudnnVersion;  // version to report, as cudnnGetVersion gives it; 0: the installed one's
};

const Settings& settings();

// Prints one line to stderr, preceded by "pretended device: ".
void say(const std::string& line);

// The same, once for each text.
void sayOnce(const std::string& line);

// The same, only if HIGHWATER_PRETEND_VERBOSE is set.
void note(const std::string& line);

}  // namespace highwater::pretend
