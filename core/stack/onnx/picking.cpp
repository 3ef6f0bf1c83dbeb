#include "core/stack/onnx/picking.h"

namespace highwater::stack::onnx {

namespace {

/// The strides of a broadcast shape: 0 along repeated axes.
Whole stepsOf(const Shape& shape, std::size_t axes) {
    Whole steps(axes, 0);
    std::int64_t step = 1;
    for (std::size_t i = 0; i < shape.size() && i < axes; ++i) {
        const std::int64_t size = shape[shape.size() - 1 - i];
        steps[axes - 1 - i] = size == 1 ? 0 : step;
        step *= size;
    }
    return steps;
}

}  // namespace

Value constantOf(Shape shape, Type type, Numbers numbers) {
    Value value;
    value.constant = value.sized = true;
    value.shape = std::move(shape);
    value.type = type;
    value.numbers = std::move(numbers);
    return value;
}

Value listOf(const Whole& sizes) {
    return constantOf({static_cast<std::int64_t>(sizes.size())}, Type::Int64, {sizes.begin(), sizes.end()});
}

Value picked(const Value& from, const Shape& shape, const Source& source) {
    Value value = from;
    value.ref.reset();
    value.shape = shape;
    const std::size_t count = value.count();
    if (from.numbers.size() <= 1) {
        return value;
    }
    value.numbers.clear();
    if (count > kMostNumbers) {
        return value;
    }
    Whole index(shape.size(), 0);
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t at = source(index);
        value.numbers.push_back(at < from.numbers.size() ? from.numbers[at] : 0);
        for (std::size_t axis = shape.size(); axis-- > 0 && ++index[axis] == shape[axis];) {
            index[axis] = 0;
        }
    }
    return value;
}

std::size_t dot(const Whole& index, const Whole& steps) {
    std::int64_t sum = 0;
    for (std::size_t axis = 0; axis < index.size(); ++axis) {
        sum += index[axis] * steps[axis];
    }
    return static_cast<std::size_t>(sum);
}

Value broadcastTo(const Value& from, const Shape& shape) {
    const Whole steps = stepsOf(from.shape, shape.size());
    return picked(from, shape, [&steps](const Whole& index) { return dot(index, steps); });
}

}  // namespace highwater::stack::onnx
