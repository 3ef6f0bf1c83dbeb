#pragma once

#include <optional>
#include <string>

#include "core/predict/predict.h"

namespace highwater::predict {

/// A smaller variant of an experiment that would have fit when the experiment itself did not.
struct Fitting {
    stack::Experiment experiment;  ///< the variant that fits
    std::int64_t batch = 0;  ///< its batch size; 0 if the batch size is 1 and the input was made smaller
    base::Bytes peak = 0;    ///< its predicted peak: reserved on GPUs, allocated on the CPU
    /// "a batch of 3 would have fitted: 7.1 GiB predicted".
    std::string text() const;
};

/// Returns the variant with the largest smaller batch that the predictor says fits into `capacity`
/// (Fits::Yes). If none fits, the one with batch 1 and the largest smaller input, all axes scaled alike.
/// Returns std::nullopt if none was found or the experiment is not valid. Predicts at most 48 sizes: a few
/// milliseconds each, more if the stack is deep.
std::optional<Fitting> whatFits(const stack::Experiment& experiment, Target target, base::Bytes capacity);

}  // namespace highwater::predict
