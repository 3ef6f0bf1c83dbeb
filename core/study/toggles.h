#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/stack/experiment.h"

/// The levers that can be switched on over a whole experiment: the factors of a factorial.
namespace highwater::study {

struct Toggle {
    std::string_view id;     ///< "checkpoint_blocks", "inplace", "inplace_abn", ...
    std::string_view title;  ///< on screen: "Checkpoint every block"
    std::string_view what;   ///< a sentence: what changes in the experiment
    std::string_view row;    ///< S2, ...; empty where none names it
    bool needsGpu = false;
    bool needsCpu = false;     ///< does nothing on a GPU
    bool changesTask = false;  ///< the network computes something else (pooling first, separable convs)
    /// The experiment with the lever on. Error: why it cannot be (nothing to change, already on): one line.
    /// Twice is an Error, or the same again.
    base::Result<stack::Experiment> (*apply)(const stack::Experiment& experiment);
};

/// All toggles, in the order of product.md's rows; the precisions and layouts that no row names come last.
/// That is also the order in which several are applied.
const std::vector<Toggle>& toggles();
const Toggle* findToggle(std::string_view id);
/// Whether one applies to a valid experiment, alone, on that device, and leaves it valid and supported.
/// Error: why not, one line.
base::Status checkToggle(const Toggle& toggle, const stack::Experiment& experiment, bool cuda);

}  // namespace highwater::study
