#pragma once

#include <functional>

#include "core/stack/onnx/maker.h"

/// Constants computed by rearranging the numbers of others. Private to core/stack/onnx.
namespace highwater::stack::onnx {

/// Returns the source index of an element of the result, given its index on each axis.
using Source = std::function<std::size_t(const Whole&)>;

Value constantOf(Shape shape, Type type, Numbers numbers);
Value listOf(const Whole& sizes);
/// `from` in another shape, element by element if its numbers are known; a single number that stands for all
/// is kept. More than kMostNumbers numbers are not stored.
Value picked(const Value& from, const Shape& shape, const Source& source);
/// The dot product of an index and the strides of the axes.
std::size_t dot(const Whole& index, const Whole& steps);
/// Broadcasts along axes of size 1 and new axes, as in numpy.
Value broadcastTo(const Value& from, const Shape& shape);

}  // namespace highwater::stack::onnx
