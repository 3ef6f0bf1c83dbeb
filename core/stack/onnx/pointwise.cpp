#include <cmath>

#include "core/stack/onnx/operators.h"

namespace highwater::stack::onnx {

namespace {

/// PyTorch's name of an operator that keeps the shape. No layer implements some of them; the name is then
/// used in the message.
std::string plainName(std::string_view kind) {
    static const std::map<std::string_view, std::string_view> table = {{"Relu", "relu"},
                                                                       {"LeakyRelu", "leaky_relu"},
                                                                       {"Elu", "elu"},
                                                                       {"Gelu", "gelu"},
                                                                       {"Sigmoid", "sigmoid"},
                                                                       {"HardSigmoid", "hardsigmoid"},
                                                                       {"Tanh", "tanh"},
                                                                       {"HardSwish", "hardswish"},
                                                                       {"Mish", "mish"},
                                                                       {"Swish", "silu"},
                                                                       {"Neg", "neg"},
                                                                       {"Softplus", "softplus"},
                                                                       {"Selu", "selu"},
                                                                       {"Celu", "celu"},
                                                                       {"Exp", "exp"},
                                                                       {"Log", "log"},
                                                                       {"Sqrt", "sqrt"},
                                                                       {"Abs", "abs"},
                                                                       {"Erf", "erf"},
                                                                       {"Softsign", "softsign"},
                                                                       {"Floor", "floor"},
                                                                       {"Ceil", "ceil"},
                                                                       {"Sin", "sin"},
                                                                       {"Cos", "cos"},
                                                                       {"Reciprocal", "reciprocal"},
                                                                       {"LogSoftmax", "log_softmax"}};
    const auto found = table.find(kind);
    return found == table.end() ? std::string() : std::string(found->second);
}

bool isSixth(double number) {
    return std::abs(number - 1.0 / 6) < 1e-6;
}

}  // namespace

void activation(Op& op) {
    const std::string name = plainName(op.node.kind);
    if (name.empty() || !op.in(0).sized) {
        return;
    }
    Arguments more;
    if (name == "leaky_relu") {
        more.emplace_back("negative_slope", op.real("alpha", 0.01));
    } else if (name == "elu") {
        more.emplace_back("alpha", op.real("alpha", 1));
    } else if (name == "gelu") {
        more.emplace_back("approximate", op.text("approximate", "none"));
    } else if (name == "hardsigmoid" && (!isSixth(op.real("alpha", 0.2)) || op.real("beta", 0.5) != 0.5)) {
        return op.refuse("HardSigmoid other than PyTorch's");
    }
    op.unary(name, std::move(more));
}

void clip(Op& op) {
    if (!op.in(0).sized) {
        return;
    }
    if ((op.has(1) && !op.in(1).isNumber()) || (op.has(2) && !op.in(2).isNumber())) {
        if (!op.in(1).all(0) && !op.in(2).all(6)) {
            return op.refuse("clamp");
        }
    }
    if (op.has(1) && op.in(1).numbers.size() == 1 && op.has(2) && op.in(2).numbers.size() == 1) {
        return op.unary("hardtanh", {{"min_val", op.in(1).at(0)}, {"max_val", op.in(2).at(0)}});
    }
    op.unary(op.has(1) && !op.has(2) && op.in(1).all(0) ? "relu" : "clamp");
}

void prelu(Op& op) {
    const Value& weight = op.in(1);
    if (!op.in(0).sized || !weight.constant) {
        return;
    }
    const auto count = static_cast<std::int64_t>(weight.count());
    const Shape& shape = op.in(0).shape;
    const bool channels = shape.size() > 1 && shape[1] == count && weight.shape.size() + 1 == shape.size() &&
                          weight.shape.front() == count;
    const bool batched = shape.size() > 1 && weight.shape.size() == shape.size() && weight.shape[1] == count;
    if (count != 1 && !channels && !batched) {
        return op.refuse("prelu along another axis than the channels");
    }
    op.unary("prelu", {{"weight", op.parameter(weight.weight, weight, {count})}});
}

void softmax(Op& op) {
    if (!op.in(0).sized) {
        return;
    }
    const bool older = op.operators() < 13;  // all axes from this one on
    const std::int64_t axis = op.integer("axis", older ? 1 : -1);
    const std::size_t at = op.axis(axis, op.in(0).shape.size());
    if (op.done()) {
        return;
    }
    if (older && at + 1 != op.in(0).shape.size()) {
        return op.refuse("softmax over several axes");
    }
    op.unary("softmax", {{"dim", axis}});
}

/// Without a training flag it is an inference dropout.
void dropout(Op& op) {
    if (!op.in(0).sized) {
        return;
    }
    const double p = op.has(1) && op.in(1).isNumber() ? op.in(1).at(0) : op.real("ratio", 0.5);
    const bool trains = op.has(2) && op.in(2).numbers.size() == 1 && op.in(2).at(0) != 0;
    op.seen().trains += trains ? 1 : 0;
    op.call("dropout", {{"input", op.ref(0)}, {"p", p}, {"train", trains}}, op.in(0).shape);
}

}  // namespace highwater::stack::onnx
