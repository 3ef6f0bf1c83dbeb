#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/base/units.h"
#include "core/devices/devices.h"

/// The parts of `devices`. Private to that command.
namespace highwater::cli {

/// What is known about this machine's CPU without loading LibTorch.
struct Machine {
    std::string processor;  ///< as the operating system names it
    int threads = 0;        ///< that this process may use
    std::string isa;        ///< "avx512", "avx2", "default"
    base::Bytes memory = 0;
    base::Bytes available = 0;
};

Machine thisMachine();

/// One entry of `devices --json` (schema: devices.json).
nlohmann::ordered_json gpuJson(const devices::GpuHere& here);
/// Driver and engine, and why there is no GPU.
nlohmann::ordered_json cudaJson(const devices::GpusHere& here);
/// A line or two for each GPU, or one line that says why there is none.
void printGpus(const devices::GpusHere& here);

/// The GPUs that `predict --target` accepts, in the order of the list; empty if the profiles cannot be read
/// (`predict` reports why).
nlohmann::ordered_json profilesJson();
void printProfiles();

struct CalibrateRequest {
    std::vector<std::string> experiments;  ///< experiments whose convolutions are measured too
    std::string convolutions;              ///< a file with further convolutions, one per line; empty: none
    std::string out;                       ///< the table to write; empty: the user's own table
    int threads = 0;    ///< for all tables; 0: as each experiment says, or LibTorch's default
    bool only = false;  ///< measure neither the standard convolutions nor the machine's speed
};

/// Measures, with the engine, the standard convolutions and those of the presets and the experiments: one
/// table for each combination of thread count and oneDNN on or off that they need. Progress goes to stderr.
/// The first interrupt stops it and keeps what was measured. Adds one object per table to `tables`. Returns
/// the exit code.
int calibrate(const CalibrateRequest& request, nlohmann::ordered_json& tables);

}  // namespace highwater::cli
