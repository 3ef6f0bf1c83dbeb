#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "core/stack/experiment.h"
#include "core/stack/shapes.h"

/// The sizes nearest to an experiment's at which something does not happen. Private to core/predict.
namespace highwater::predict {

/// Whether a valid experiment has what is to be avoided.
using Unsafe = std::function<bool(const stack::Experiment&, const stack::StackInfo&)>;

/// Along `axis`, whose present size is unsafe: the greatest smaller size that the stack accepts and that is
/// safe, then, where `above`, the least greater one up to four times the size. Assumes that in each direction
/// sizes are safe from some size on; every value given back was tried. At most 600 sizes are tried;
/// where that is not enough, nothing is given back.
std::vector<std::int64_t> nearestSafe(const stack::Experiment& experiment, std::string_view axis, bool above,
                                      const Unsafe& unsafe);

}  // namespace highwater::predict
