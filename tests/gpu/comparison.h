#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/memory/ledger.h"
#include "core/predict/predict.h"
#include "tests/gpu/reference_file.h"

/// Predictions compared with a file of the validation kit. Values in, values out.
namespace highwater::reference {

struct Compared {
    std::string name, family;
    base::Bytes allocated = 0, reserved = 0;  ///< measured
    predict::Estimate predictedAllocated, predictedReserved;
    memory::Ledger ledger, predictedLedger;  ///< at the peak, by category
    double stepMs = 0;
    predict::TimeEstimate predictedMs;
    bool calibrated = false;  ///< as Comparison::calibrated
    bool exact = false;  ///< all of its convolutions have measured rows, so the prediction contains no guess

    /// (predicted - measured) / measured.
    double allocatedError() const;
    double reservedError() const;  ///< 0 if nothing is reserved (the CPU)
};

struct LadderStep {
    std::string name;
    bool outOfMemory = false, predicted = false;
};

struct Comparison {
    std::string file;
    Kind kind = Kind::Cpu;
    wire::Environment environment;
    std::string when;
    std::vector<Compared> experiments;
    std::vector<LadderStep> ladder;
    OutOfMemory oom;
    std::vector<Overhead> overhead;
    /// Convolutions were measured with the file's LibTorch on its kind of device (resources/calibration);
    /// false: their temporaries are guessed from others.
    bool calibrated = false;
    bool asked = false;      ///< compareAsked()
    std::size_t notRun = 0;  ///< skipped, failed, or out of memory: nothing to compare
    std::vector<std::string>
        refused;  ///< "NAME: why" for experiments that cannot be predicted for this target
};

/// Predicts each experiment of the file for the device, the versions and the settings it was measured with.
/// Those of a pretended device are predicted without cuDNN's workspaces, about which it knows nothing. A
/// ladder's step is predicted to run out of memory if that is more likely than not. Errors: a version that
/// cannot be parsed, no profile to predict with. Those of a GPU are predicted with the workspaces that were
/// measured on its kind and, for the rest, with cuDNN's answers as far as `answers` has them
/// (docs/make-gpu-accuracy asks for them).
base::Result<Comparison> compare(const File& file, const std::filesystem::path& answers = {});

/// The same for a GPU's file, predicted without access to a GPU: from cuDNN's answers, without measurements.
/// Additional error: there are no answers of this cuDNN about this GPU.
base::Result<Comparison> compareAsked(const File& file, const std::filesystem::path& answers);

/// Predictions of the experiments and of the ladders' steps for the file's GPU before cuDNN has answered
/// anything.
base::Result<std::vector<predict::Prediction>> predictUnanswered(const File& file);

/// Of absolute values, in percent.
struct Figures {
    std::size_t n = 0;
    double median = 0, p95 = 0, worst = 0;
    double under = 0;  ///< percentage of predictions more than 0.1 % below the measured value
};
enum class Quantity { Allocated, Reserved };
/// Over the experiments of this `family`; empty: all.
Figures figuresOf(const Comparison& comparison, Quantity quantity, const std::string& family = "");
/// Percentage of the ladder's steps predicted correctly; 0 without steps.
double rightlyPredicted(const Comparison& comparison);

}  // namespace highwater::reference
