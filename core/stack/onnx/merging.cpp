#include <algorithm>
#include <cmath>

#include "core/layers/limits.h"
#include "core/stack/onnx/operators.h"

namespace highwater::stack::onnx {

namespace {

constexpr std::string_view kDropoutModule = "torch.nn.modules.dropout.Dropout";

/// A product with scaled noise is a dropout.
bool isDropout(Op& op, const Shape& shape) {
    const Value &data = op.in(0), &mask = op.in(1);
    const bool drops = op.node.kind == "Mul" && mask.noise == Noise::Scaled && !data.constant &&
                       mask.shape.size() == shape.size() && shape == data.shape && !shape.empty();
    if (!drops) {
        return false;
    }
    Shape channels(shape.size(), 1);
    std::copy_n(shape.begin(), std::min<std::size_t>(shape.size(), 2), channels.begin());
    if (mask.shape != channels && mask.shape != shape) {
        return false;
    }
    ++op.seen().trains;
    const double p = std::round((1 - mask.keep) * 1e6) / 1e6;
    // With one number per channel, only the module's class distinguishes the two.
    const auto& scopes = op.scopes();
    const bool ofChannels = !scopes.empty() && scopes.back().kind.starts_with(kDropoutModule) &&
                            scopes.back().kind.ends_with('d');  // Dropout1d to Dropout3d
    op.call(mask.shape == shape && !(mask.shape == channels && ofChannels) ? "dropout" : "feature_dropout",
            {{"input", op.ref(0)}, {"p", p}, {"train", true}}, shape);
    return true;
}

/// The second operand as an argument: a number if all its elements are equal.
Argument operand(Op& op, std::size_t input, const Shape& shape) {
    const Value& value = op.in(input);
    const bool small = value.shape.size() <= shape.size();
    return value.isNumber() && small ? Argument(value.at(0)) : Argument(op.ref(input));
}

const char* nameOf(std::string_view kind) {
    return kind == "Add"   ? "add"
           : kind == "Sub" ? "sub"
           : kind == "Mul" ? "mul"
           : kind == "Div" ? "div"
                           : "pow";
}

/// A product with 1, which exporters write for options that have their defaults.
bool isNothing(Op& op, std::size_t data, const Shape& shape) {
    const Value& by = op.in(1 - data);
    return (op.node.kind == "Mul" || op.node.kind == "Div") && by.isNumber() && by.at(0) == 1 &&
           op.in(data).shape == shape && !op.in(data).constant;
}

/// Noise divided by the probability of keeping.
bool isScaling(Op& op) {
    Value value = op.in(0);
    if (op.node.kind != "Div" || value.noise != Noise::Mask || !op.in(1).isNumber() ||
        std::abs(op.in(1).at(0) - value.keep) > 1e-6) {
        return false;
    }
    value.noise = Noise::Scaled;
    op.constant(std::move(value));
    return true;
}

}  // namespace

void arithmetic(Op& op) {
    const auto shape = broadcast(op.in(0).shape, op.in(1).shape);
    if (!op.in(0).sized || !op.in(1).sized || isScaling(op)) {
        return;
    }
    if (!shape) {
        return op.refuse(op.node.kind + " with such sizes");
    }
    if (isDropout(op, *shape)) {
        return;
    }
    const std::string kind = op.node.kind;
    const bool swaps = op.in(0).isNumber() && !op.in(1).isNumber();
    if (swaps && kind != "Add" && kind != "Mul") {
        op.call(kind == "Sub" ? "rsub" : kind == "Div" ? "reciprocal" : "pow", {{"self", op.ref(1)}}, *shape);
        return;
    }
    const std::size_t first = swaps ? 1 : 0;
    if (isNothing(op, first, *shape)) {
        return op.same(first);
    }
    op.call(nameOf(kind),
            {{"self", op.ref(first)}, {kind == "Pow" ? "exponent" : "other", operand(op, 1 - first, *shape)}},
            *shape);
}

void sum(Op& op) {
    if (op.node.inputs.size() == 1) {
        return op.same(0);
    }
    if (op.node.inputs.size() == 2 && op.in(0).sized && op.in(1).sized) {
        if (const auto shape = broadcast(op.in(0).shape, op.in(1).shape)) {
            op.call("add", {{"self", op.ref(0)}, {"other", op.ref(1)}}, *shape);
        }
    }
}

void concat(Op& op) {
    if (op.node.inputs.empty() || !op.in(0).sized) {
        return;
    }
    Shape shape = op.in(0).shape;
    const std::size_t at = op.axis(op.integer("axis", 0), shape.size());
    if (op.done()) {
        return;
    }
    Refs parts{op.ref(0)};
    for (std::size_t i = 1; i < op.node.inputs.size(); ++i) {
        const Value& part = op.in(i);
        if (!part.sized) {
            return;
        }
        if (part.shape.size() != shape.size()) {
            return op.refuse("Concat with such sizes");
        }
        shape[at] += part.shape[at];
        if (!isShape(shape)) {
            return op.refuse("Concat with such sizes");
        }
        parts.push_back(op.ref(i));
    }
    op.call("cat", {{"tensors", parts}, {"dim", static_cast<std::int64_t>(at)}}, shape);
}

/// Only repetition along the channels is supported, by the import of PyTorch's repeat.
void tile(Op& op) {
    const auto repeats = op.listed("", 1);
    Shape shape = op.in(0).shape;
    if (!op.in(0).sized || !repeats || repeats->size() != shape.size()) {
        return;
    }
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        if ((*repeats)[axis] < 0 || (*repeats)[axis] > kMostExtent) {
            return op.refuse("Tile with such sizes");
        }
        shape[axis] *= (*repeats)[axis];
    }
    if (isShape(shape)) {
        op.call("repeat", {{"self", op.ref(0)}, {"repeats", *repeats}}, shape);
    }
}

void random(Op& op) {
    const Whole sizes = op.integers("shape");
    const bool like = op.has(0);
    if ((like && (!op.in(0).sized || !op.in(0).constant)) || (!like && !isShape(sizes))) {
        return;
    }
    const Shape shape = like ? op.in(0).shape : sizes;
    op.call("rand", {}, shape);
    Value* made = op.output();
    if (made && op.node.kind.starts_with("RandomUniform") && op.real("low", 0) == 0 &&
        op.real("high", 1) == 1) {
        made->noise = Noise::Drawn;
    }
}

void less(Op& op) {
    Value value = op.in(0);
    if (value.noise == Noise::Drawn && op.in(1).isNumber()) {
        value.noise = Noise::Mask;
        value.keep = op.in(1).at(0);
        op.constant(std::move(value));
    }
}

}  // namespace highwater::stack::onnx
