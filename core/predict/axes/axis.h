#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/stack/experiment.h"

/// The sizes of an experiment's input by name, and the nearest sizes that avoid a problem.
namespace highwater::predict {

/// Returns the names of the axes that the input has: of "depth", "height", "width" the last one, two or three
/// (1d: "width"), then "batch_size".
std::vector<std::string> axesOf(const stack::Experiment& experiment);
/// Returns the size along an axis, which the input must have. "patch" means the first axis.
std::int64_t axisSize(const stack::Experiment& experiment, std::string_view axis);
/// Returns the experiment with a different size along an axis. Error if the input has no such axis.
base::Result<stack::Experiment> withAxis(const stack::Experiment& experiment, std::string_view axis,
                                         std::int64_t value);
/// The same as withAxis, in place. An error leaves the experiment unchanged.
base::Status setAxis(stack::Experiment& experiment, std::string_view axis, std::int64_t value);

enum class Verdict { NotAccepted, Unsafe, Safe };
using Judge = std::function<Verdict(std::int64_t size)>;

/// Starting at `now`, an unsafe size: the largest smaller size that is safe, then, with `above`, the smallest
/// larger one up to four times the size. Assumes that in each direction accepted sizes are safe from some
/// size on; every returned size was judged safe. At most `most` sizes are judged in each direction; if that
/// is not enough, none is returned for it.
std::vector<std::int64_t> nearestSafe(std::int64_t now, bool above, std::size_t most, const Judge& judge);

}  // namespace highwater::predict
