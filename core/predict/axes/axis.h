#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/stack/experiment.h"

/// Access to the sizes of an experiment's input by axis name. Private to core/predict.
namespace highwater::predict {

/// Returns the names of the axes that the input has: of "depth", "height", "width" the last one, two or three
/// (1d: "width"), then "batch_size".
std::vector<std::string> axesOf(const stack::Experiment& experiment);
/// Returns the size along an axis, which the input must have. "patch" means the first axis.
std::int64_t axisSize(const stack::Experiment& experiment, std::string_view axis);
/// The same as withAxis (predict.h), in place. An error leaves the experiment unchanged.
base::Status setAxis(stack::Experiment& experiment, std::string_view axis, std::int64_t value);

}  // namespace highwater::predict
