#pragma once

#include <functional>

#include "core/stack/onnx/maker.h"

/// Constants made of the numbers of others. Private to core/stack/onnx.
namespace highwater::stack::onnx {

/// Where a number of the result comes from, by its index on each axis.
using Source = std::function<std::size_t(const Whole&)>;

Value constantOf(Shape shape, Type type, Numbers numbers);
Value listOf(const Whole& sizes);
/// `from` in another shape, number by number where they are known; one that stands for all stays one. Of more
/// than kMostNumbers none are kept.
Value picked(const Value& from, const Shape& shape, const Source& source);
/// The product with the steps in memory of each axis.
std::size_t dot(const Whole& index, const Whole& steps);
/// Repeated along axes of size 1 and along new ones, as numpy does it.
Value broadcastTo(const Value& from, const Shape& shape);

}  // namespace highwater::stack::onnx
