#include <algorithm>
#include <cmath>

#include "core/stack/onnx/operators.h"

/// Fuses several operators into one of PyTorch's. The earlier ones are calls too, but their results are then
/// unused and are left out.
namespace highwater::stack::onnx {

namespace {

bool near(double a, double b) {
    return std::abs(a - b) < 1e-4 * std::max(1.0, std::abs(b));
}

bool isKind(const Node* node, std::string_view kind) {
    return node && node->kind == kind;
}

/// The two factors of a node, and their input indices.
struct Sides {
    Op& op;
    const Node* node;
    const Value* value(std::size_t side) const { return op.inputOf(node, side); }
    const Node* maker(std::size_t side) const { return op.makerOf(node, side); }
    bool isNumber(std::size_t side, double number) const {
        const Value* given = value(side);
        return given && given->isNumber() && near(given->at(0), number);
    }
    bool isRef(std::size_t side, Ref ref) const {
        const Value* given = value(side);
        return given && given->ref == ref;
    }
};

/// The other input of an addition or multiplication with this number.
std::optional<std::size_t> besideNumber(const Sides& sides, double number) {
    if (sides.isNumber(0, number)) {
        return 1;
    }
    return sides.isNumber(1, number) ? std::optional<std::size_t>(0) : std::nullopt;
}

/// Whether the node is 1 + erf(x / sqrt(2)).
bool isErrorPart(Op& op, const Node* node, Ref x) {
    const Sides sum{op, node};
    const auto side = isKind(node, "Add") ? besideNumber(sum, 1) : std::nullopt;
    const Node* erf = side ? sum.maker(*side) : nullptr;
    const Node* scaled = isKind(erf, "Erf") ? op.makerOf(erf, 0) : nullptr;
    const Sides parts{op, scaled};
    const bool divided = isKind(scaled, "Div") && parts.isNumber(1, std::sqrt(2.0));
    const bool multiplied = isKind(scaled, "Mul") && parts.isNumber(1, std::sqrt(0.5));
    return (divided || multiplied) && parts.isRef(0, x);
}

/// The factor that a node multiplies by 1 + erf.
std::optional<Ref> errorFactor(Op& op, const Node* node) {
    const Sides sides{op, node};
    for (const std::size_t side : {0, 1}) {
        const Value* x = isKind(node, "Mul") ? sides.value(side) : nullptr;
        if (x && x->ref && isErrorPart(op, sides.maker(1 - side), *x->ref)) {
            return x->ref;
        }
    }
    return std::nullopt;
}

/// x * (1 + erf(x / sqrt(2))) * 0.5, in either order.
bool fuseGelu(Op& op) {
    const Sides sides{op, &op.node};
    std::optional<Ref> x;
    if (const auto side = besideNumber(sides, 0.5)) {
        x = errorFactor(op, sides.maker(*side));
    }
    for (const std::size_t side : {0, 1}) {
        const Sides half{op, sides.maker(side)};
        const auto inner = isKind(half.node, "Mul") ? besideNumber(half, 0.5) : std::nullopt;
        const Value* value = inner ? half.value(*inner) : nullptr;
        if (!x && value && value->ref && isErrorPart(op, sides.maker(1 - side), *value->ref)) {
            x = value->ref;
        }
    }
    if (!x) {
        return false;
    }
    const Shape shape = op.in(sides.isNumber(0, 0.5) ? 1 : 0).shape;
    op.call("gelu", {{"self", *x}}, shape);
    return true;
}

/// The activation that multiplies x by a function of x at this node.
std::string gateOf(Op& op, const Node* gate, Ref x) {
    const Sides sides{op, gate};
    if (isKind(gate, "Sigmoid") && sides.isRef(0, x)) {
        return "silu";
    }
    if (isKind(gate, "HardSigmoid") && sides.isRef(0, x)) {
        const Op other(op.maker, *gate);
        return near(other.real("alpha", 0.2), 1.0 / 6) && near(other.real("beta", 0.5), 0.5) ? "hardswish"
                                                                                             : "";
    }
    const Node* before = isKind(gate, "Tanh") ? sides.maker(0) : nullptr;
    return isKind(before, "Softplus") && Sides{op, before}.isRef(0, x) ? "mish" : "";
}

bool fuseGate(Op& op) {
    for (const std::size_t side : {0, 1}) {
        const Value& x = op.in(side);
        const std::string name = x.ref ? gateOf(op, op.makerOf(1 - side), *x.ref) : "";
        if (!name.empty()) {
            const Ref ref = *x.ref;
            op.call(name, {{"self", ref}}, Shape(x.shape));
            return true;
        }
    }
    return false;
}

/// x * relu6(x + 3) / 6.
bool fuseHardswish(Op& op) {
    const Sides whole{op, &op.node};
    const bool sixth = op.node.kind == "Div" ? whole.isNumber(1, 6) : whole.isNumber(1, 1.0 / 6);
    const Node* product = sixth ? op.makerOf(0) : nullptr;
    const Sides sides{op, product};
    for (const std::size_t side : {0, 1}) {
        const Node* clip = isKind(product, "Mul") ? sides.maker(1 - side) : nullptr;
        const Sides bounds{op, clip};
        const Node* moved = isKind(clip, "Clip") && bounds.isNumber(1, 0) && bounds.isNumber(2, 6)
                                ? bounds.maker(0)
                                : nullptr;
        const Value* x = sides.value(side);
        if (x && x->ref && isKind(moved, "Add") && besideNumber({op, moved}, 3) &&
            Sides{op, moved}.isRef(*besideNumber({op, moved}, 3), *x->ref)) {
            op.call("hardswish", {{"self", *x->ref}}, Shape(x->shape));
            return true;
        }
    }
    return false;
}

/// An instance norm between two views that form groups.
bool fuseGroups(Op& op) {
    const Node* norm = op.makerOf(0);
    const Node* view = isKind(norm, "InstanceNormalization") ? op.makerOf(norm, 0) : nullptr;
    const Value* source = isKind(view, "Reshape") ? op.inputOf(view, 0) : nullptr;
    const Value *grouped = op.inputOf(norm, 0), *ones = op.inputOf(norm, 1), *zeros = op.inputOf(norm, 2);
    const auto shape = source ? reshaped(op) : std::nullopt;
    if (!shape || !source->ref || !grouped || grouped->shape.size() != 3 || source->shape != *shape ||
        shape->empty() || grouped->shape[0] != (*shape)[0] || !ones || !zeros || !ones->all(1) ||
        !zeros->all(0)) {
        return false;
    }
    const GroupNorm made{*source->ref, grouped->shape[1], Op(op.maker, *norm).real("epsilon", 1e-5)};
    const Ref ref = op.call("group_norm",
                            {{"input", made.source}, {"num_groups", made.groups}, {"eps", made.eps}}, *shape);
    op.groupNorms()[ref] = made;
    return true;
}

/// One number per channel, or one for all.
bool isChannels(const Value& value, const Shape& shape) {
    const auto channels = shape.size() > 1 ? static_cast<std::size_t>(shape[1]) : 0;
    return value.constant && value.sized && (value.count() == channels || value.numbers.size() == 1);
}

/// Fuses the scale and then the bias of a group norm.
bool fuseScale(Op& op) {
    const Value& data = op.in(0);
    const auto found = data.ref ? op.groupNorms().find(*data.ref) : op.groupNorms().end();
    if (found == op.groupNorms().end() || !isChannels(op.in(1), data.shape)) {
        return false;
    }
    GroupNorm norm = found->second;
    const Shape shape = data.shape;
    if (op.node.kind == "Mul" && !norm.scale) {
        norm.scale = &op.in(1);
        op.groupNorms()[op.call("mul", {{"self", op.ref(0)}, {"other", op.ref(1)}}, shape)] = norm;
        return true;
    }
    if (op.node.kind != "Add" || !norm.scale) {
        return false;
    }
    Arguments arguments{{"input", norm.source}, {"num_groups", norm.groups}, {"eps", norm.eps}};
    for (const auto& [value, role] :
         {std::pair(norm.scale, "weight"), std::pair(&std::as_const(op.in(1)), "bias")}) {
        if (!value->weight.empty() || value->numbers.size() != 1) {
            const std::string name = op.module().empty() ? value->weight : op.module() + "." + role;
            arguments.emplace_back(role, op.parameter(name, *value, {shape[1]}));
        }
    }
    op.call("group_norm", arguments, shape);
    return true;
}

/// Fuses a product with a weight and the sum with a list into a linear layer.
bool fuseBias(Op& op) {
    for (const std::size_t side : {0, 1}) {
        const Value &data = op.in(side), &bias = op.in(1 - side);
        const auto found = data.ref ? op.products().find(*data.ref) : op.products().end();
        if (found == op.products().end() || !bias.constant || bias.shape != Shape{data.shape.back()}) {
            continue;
        }
        const Value& weight = *found->second.weight;
        const Shape rows{weight.shape[1], weight.shape[0]}, shape = data.shape;
        op.call("linear",
                {{"input", found->second.source},
                 {"weight", op.parameter(weight.weight, weight, rows)},
                 {"bias", op.parameter(bias.weight, bias, bias.shape)}},
                shape);
        return true;
    }
    return false;
}

}  // namespace

bool fuse(Op& op) {
    const std::string& kind = op.node.kind;
    if (kind == "Reshape") {
        return fuseGroups(op);
    }
    if (kind == "Mul") {
        return fuseScale(op) || fuseGate(op) || fuseGelu(op) || fuseHardswish(op);
    }
    if (kind == "Add") {
        return fuseScale(op) || fuseBias(op);
    }
    return kind == "Div" && fuseHardswish(op);
}

}  // namespace highwater::stack::onnx
