#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/memory/ledger.h"
#include "core/predict/predict.h"
#include "tests/gpu/reference_file.h"

/// Predictions against what a file of the validation kit holds. Values in, values out.
namespace highwater::reference {

struct Compared {
    std::string name, family;
    base::Bytes allocated = 0, reserved = 0;  ///< measured
    predict::Estimate predictedAllocated, predictedReserved;
    memory::Ledger ledger, predictedLedger;  ///< at the peak, by category
    double stepMs = 0;
    predict::TimeEstimate predictedMs;
    bool calibrated = false;  ///< as Comparison::calibrated
    bool exact = false;       ///< all convolutions of it have measured rows: no guess is in the prediction

    /// (predicted - measured) / measured.
    double allocatedError() const;
    double reservedError() const;  ///< 0 where nothing is reserved (the CPU)
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
    /// false: what they need in passing is a guess from others.
    bool calibrated = false;
    bool asked = false;                ///< compareAsked()
    std::size_t notRun = 0;            ///< skipped, failed, or out of memory: nothing to compare
    std::vector<std::string> refused;  ///< "NAME: why" that cannot be predicted for this target
};

/// Each experiment of the file, predicted for the device, the versions and the settings it was measured with.
/// A pretended device's are predicted without cuDNN's workspaces, of which it knows nothing. A ladder's step
/// is predicted to run out of memory where that is likelier than not. Errors: a version that cannot be read,
/// no profile to predict with. A GPU's are predicted with the workspaces that were measured on its kind, and
/// for the rest with what cuDNN answers, as far as `answers` has that (docs/make-gpu-accuracy asks for it).
base::Result<Comparison> compare(const File& file, const std::filesystem::path& answers = {});

/// The same for a file of a GPU, as one would have predicted who has none: from what cuDNN answers, with
/// nothing measured. Error besides: there are no answers about this GPU of this cuDNN.
base::Result<Comparison> compareAsked(const File& file, const std::filesystem::path& answers);

/// Predictions of the experiments and of the ladders' steps for the file's GPU while cuDNN has answered
/// nothing.
base::Result<std::vector<predict::Prediction>> predictUnanswered(const File& file);

/// Of absolute values, in percent.
struct Figures {
    std::size_t n = 0;
    double median = 0, p95 = 0, worst = 0;
    double under = 0;  ///< share of predictions more than 0.1 % below the measured value, in percent
};
enum class Quantity { Allocated, Reserved };
/// Over the experiments that `family` names; empty: all.
Figures figuresOf(const Comparison& comparison, Quantity quantity, const std::string& family = "");
/// Share of the ladder's steps predicted rightly, in percent; 0 without steps.
double rightlyPredicted(const Comparison& comparison);

}  // namespace highwater::reference
