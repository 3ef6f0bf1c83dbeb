#pragma once

#include <cstdint>
#include <string>

#include "core/pretend/gpus.h"

namespace highwater::pretend {

// Which of the plans that `benchmark` times is made the fastest.
enum class Winner { First, Least, Most };  // in cuDNN's order; by its workspace

// What the environment asks of the pretended device; README.md lists the variables. A value that cannot be
// used is answered with one line on stderr and the default.
struct Settings {
    Gpu gpu;
    std::string deviceName;      // the GPU's name, with the note that nothing is executed
    std::uint64_t contextBytes;  // taken from the memory when a context is made
    std::uint64_t othersBytes;   // of the memory, taken by an imaginary other process (1)
    int driverVersion;           // as cudaDriverGetVersion: 1000 * major + 10 * minor; 0 is no driver
    std::uint64_t loseAt;        // this launch is lost, counted from 1; 0 is never
    int loseCode;                // cudaError_t of the loss
    bool noKernels;              // every launch says that there is no kernel image for this GPU
    bool zeros;                  // device memory reads as zero always: copies into it are left out
    bool verbose;
    std::string trace;         // a file that gets a line a call; empty is none
    std::string workspace;     // the rules of workspace_rules.h
    std::string plans;         // the file of told_plans.h; empty is none
    std::string asked;         // the program highwater-cudnn, which is asked for plans; empty is nobody
    std::uint64_t patience;    // seconds that an answer of it may take
    std::string cudnnFolder;   // of the libcudnn.so.9 that it asks; empty is that of this process
    std::string report;        // a file that gets what report.h says; empty is none
    Winner winner;             // of `benchmark`
    std::size_t cudnnVersion;  // to report, as cudnnGetVersion gives it; 0 is the installed one's
};

const Settings& settings();

// One line on stderr, begun with "pretended device: ".
void say(const std::string& line);

// The same, once a text.
void sayOnce(const std::string& line);

// The same, only where HIGHWATER_PRETEND_VERBOSE is set.
void note(const std::string& line);

}  // namespace highwater::pretend
