#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/stack/experiment.h"

/// The sizes of an experiment's input by name. Private to core/predict.
namespace highwater::predict {

/// "depth", "height", "width" as far as the input has them (1d: "width"), then "batch_size".
std::vector<std::string> axesOf(const stack::Experiment& experiment);
/// The size along an axis; "patch": along the first. The input has that axis.
std::int64_t axisSize(const stack::Experiment& experiment, std::string_view axis);
/// As withAxis (predict.h), in place: an error leaves the experiment as it was.
base::Status setAxis(stack::Experiment& experiment, std::string_view axis, std::int64_t value);

}  // namespace highwater::predict
