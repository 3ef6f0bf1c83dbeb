#pragma once

#include <optional>
#include <string>

#include "core/predict/predict.h"

namespace highwater::predict {

/// What of an experiment would have fitted where it did not itself.
struct Fitting {
    stack::Experiment experiment;  ///< the one that fits
    std::int64_t batch = 0;        ///< its batch size; 0: it is 1, and the input itself is smaller
    base::Bytes peak = 0;          ///< predicted for it: reserved on GPUs, allocated on the CPU
    /// "a batch of 3 would have fitted: 7.1 GiB predicted".
    std::string text() const;
};

/// The largest smaller batch that the predictor calls a fit into `capacity` (Fits::Yes), else at batch 1 the
/// largest smaller input, all axes scaled alike. Nothing: none was found, or the experiment is not valid.
/// Looks at no more than 48 sizes: some milliseconds each, some more where the stack is deep.
std::optional<Fitting> whatFits(const stack::Experiment& experiment, Target target, base::Bytes capacity);

}  // namespace highwater::predict
