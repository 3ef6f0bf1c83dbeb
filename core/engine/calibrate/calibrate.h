#pragma once

#include <atomic>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/predict/tables/calibration.h"

/// Measures convolutions one by one, as a training step runs them, into rows of a calibration table. Speaks
/// no LibTorch type. One measurement at a time a process.
namespace highwater::engine {

struct CalibrateOptions {
    int threads = 0;              ///< 0: LibTorch's own choice
    bool onednn = true;           ///< false: as backend.onednn false
    base::Bytes memory = 0;       ///< the most that one convolution may take in all; 0: half of the machine's
    int repeats = 5;              ///< timed runs of one convolution, at most; at least 2 runs are made
    base::Millis patience = 100;  ///< after three timed runs, none once a convolution's runs took this long
};

/// Sets threads and oneDNN of this process; the key of what is measured from here on.
predict::CpuKey beginCalibration(const CalibrateOptions& options);

/// One row. `op` is fp32 and not channels_last. Errors, one line: a key whose sizes do not fit each other, a
/// backward pass without a wanted gradient, more memory than allowed, and what LibTorch says of it.
base::Result<predict::OpRow> measureConvolution(const predict::ConvKey& op, const CalibrateOptions& options,
                                                const std::atomic<bool>* cancel = nullptr);

struct CalibrationProgress {
    std::size_t done = 0, all = 0;
    std::string op;  ///< the next
};
struct CalibrationResult {
    predict::Calibration table;
    std::vector<std::string> skipped;  ///< "KEY: why", one line each
    bool cancelled = false;            ///< the table holds what was measured until then
};
/// All of `ops` (each once), in order. Progress is said before each.
CalibrationResult calibrate(std::span<const predict::ConvKey> ops, const CalibrateOptions& options,
                            const std::function<void(const CalibrationProgress&)>& progress,
                            const std::atomic<bool>& cancel);

}  // namespace highwater::engine
