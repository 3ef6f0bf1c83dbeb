#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/stack/experiment.h"

/// The toggles: levers that can be switched on for a whole experiment. They are the factors of a factorial.
namespace highwater::study {

struct Toggle {
    std::string_view id;     ///< "checkpoint_blocks", "inplace", "inplace_abn", ...
    std::string_view title;  ///< on screen: "Checkpoint every block"
    std::string_view what;   ///< what it changes in the experiment, one sentence
    std::string_view row;    ///< row of product.md, "S2", ...; empty if none
    bool needsGpu = false;
    bool needsCpu = false;     ///< does nothing on a GPU
    bool changesTask = false;  ///< the network computes something else: pooling first, windows, ...
    /// Returns the experiment with the toggle on. Error, one line, if it cannot be switched on (nothing to
    /// change, already on). A second application gives an Error or the same experiment.
    base::Result<stack::Experiment> (*apply)(const stack::Experiment& experiment);
};

/// All toggles, in the order of product.md's rows; precisions and layouts that no row names come last.
/// Several toggles are applied in this order.
const std::vector<Toggle>& toggles();
const Toggle* findToggle(std::string_view id);
/// What changes the task of a valid experiment and can be switched on there: title and experiment.
std::vector<std::pair<std::string, stack::Experiment>> otherTasks(const stack::Experiment& experiment,
                                                                  bool cuda);
/// Whether one applies to a valid experiment, alone, on that device, and leaves it valid and supported.
/// Error: why not, one line.
base::Status checkToggle(const Toggle& toggle, const stack::Experiment& experiment, bool cuda);

}  // namespace highwater::study
