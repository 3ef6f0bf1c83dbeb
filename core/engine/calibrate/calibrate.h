#pragma once

#include <atomic>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/predict/tables/calibration.h"

/// Measures convolutions on the CPU one by one, as a training step runs them, and produces rows of a
/// calibration table. No LibTorch type in the interface. Only one measurement at a time in a process.
namespace highwater::engine {

struct CalibrateOptions {
    int threads = 0;              ///< 0: LibTorch's own choice
    bool onednn = true;           ///< false: as backend.onednn false
    base::Bytes memory = 0;       ///< limit for all memory of one convolution; 0: half of the machine's
    int repeats = 5;              ///< maximum number of timed runs of one convolution; at least 2 runs are
                                  ///< made
    base::Millis patience = 100;  ///< time limit: after three timed runs, no further run is started beyond it
};

/// Sets threads and oneDNN for this process. Returns the key under which all further measurements are stored.
predict::CpuKey beginCalibration(const CalibrateOptions& options);

/// Measures one convolution. `op` must be fp32 and not channels_last. Error (one line) if the sizes in the
/// key do not fit each other, a backward pass has no wanted gradient, more memory is needed than allowed, or
/// LibTorch throws.
base::Result<predict::OpRow> measureConvolution(const predict::ConvKey& op, const CalibrateOptions& options,
                                                const std::atomic<bool>* cancel = nullptr);

struct CalibrationProgress {
    std::size_t done = 0, all = 0;
    std::string op;  ///< key of the next convolution
};
struct CalibrationResult {
    predict::Calibration table;
    std::vector<std::string> skipped;  ///< "KEY: why", one line each
    bool cancelled = false;            ///< the table then holds the rows measured so far
};
/// Measures each of `ops` once, in order. `progress` is called before each.
CalibrationResult calibrate(std::span<const predict::ConvKey> ops, const CalibrateOptions& options,
                            const std::function<void(const CalibrationProgress&)>& progress,
                            const std::atomic<bool>& cancel);

}  // namespace highwater::engine
