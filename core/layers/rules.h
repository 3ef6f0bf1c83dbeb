#pragma once

#include <array>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/units.h"
#include "core/layers/about.h"

/// Checks shared by the rules of several layers. Errors are like those of a layer's rule.
namespace highwater::stack {

/// "depth", "height", "width" (3d), "height", "width" (2d), "length" (1d).
std::string_view axisName(int dims, int axis);
inline int dimsOf(const Shape& shape) {
    return static_cast<int>(shape.size()) - 2;
}

using PerAxis = std::array<std::int64_t, 3>;
/// Expands one number for all axes, or one per axis. Error if one is outside [low, high]; `key` names the
/// field in the message.
base::Result<PerAxis> perAxis(const Sizes& sizes, int dims, std::string_view key, std::int64_t low,
                              std::int64_t high);
/// Returns an error unless low <= value <= high.
std::optional<base::Error> outside(std::string_view key, std::int64_t value, std::int64_t low,
                                   std::int64_t high);
/// Returns an error unless p is from 0 to 1.
std::optional<base::Error> checkProbability(double p);
/// Returns an error unless this much padding of this mode fits (canPad in axis_size.h).
std::optional<base::Error> checkPaddingMode(PaddingMode mode, std::int64_t padding, std::int64_t size,
                                            std::string_view axis);
/// Returns an error for the statistics of a single value, which PyTorch refuses: "Expected more than 1 value
/// per channel when training". `perChannel` counts values besides those of the spatial axes.
std::optional<base::Error> checkStatistics(const Shape& input, std::int64_t perChannel,
                                           std::string_view over);
/// For a tensor of `axes` axes, returns which of them `dim` names; negative numbers count from the end. Empty
/// if `dim` is empty, names the batch (axis 0) or an axis that does not exist, or names an axis twice.
std::vector<bool> reducedAxes(const Sizes& dim, std::size_t axes);
/// Returns the number of weights of a kernel: the product of the factors and of its sizes. Error beyond
/// kMostTensorBytes / 8 values.
base::Result<std::int64_t> weightCount(std::initializer_list<std::int64_t> factors, const Sizes& kernel,
                                       int dims);
/// Returns the bytes of a tensor. Error beyond kMostTensorBytes; the message begins with `what`, e.g. "an
/// output".
base::Result<base::Bytes> tensorBytes(const Shape& shape, base::Bytes element, std::string_view what);

}  // namespace highwater::stack
