#include "core/predict/ghost/ops.h"

/// flatten and linear (TensorShape.cpp, Linear.cpp, LinearAlgebra.cpp).
namespace highwater::predict::ghost {

namespace {

/// The result of a product.
Tensor resultOf(Machine& machine, const Dims& dims, DType type, bool withBias = false) {
    Tensor made = machine.empty(dims, type);
    if (machine.ops.multiplied != nullptr) {
        machine.ops.multiplied(machine, withBias);
    }
    return made;
}

WalkOp& beginProduct(Machine& machine, std::string_view label, const Tensor& x, const Dims& weight) {
    const auto rows = static_cast<double>(x->dims[0]), weights = static_cast<double>(weight.elements());
    const auto bytes = static_cast<double>(sizeOf(x->dtype));
    return machine.op(label, "conv_1x1",
                      bytes * (weights + rows * static_cast<double>(weight[0] + weight[1])),
                      2 * rows * weights);
}

}  // namespace

Tensor dense(Machine& machine, const Tensor& x, std::string_view label) {
    if (liesAs(x, false)) {
        return x;
    }
    const NodePtr node = machine.node({&x});
    machine.op(label, "copy", 2 * static_cast<double>(x->bytes()));
    Tensor made = machine.empty(x->dims, x->dtype);
    if (node) {
        node->apply = [](Machine&, Node&, Tensor& gradient, Gradients& out) { out[0] = gradient; };
    }
    made->edge = node;
    return made;
}

Tensor flatten(Machine& machine, const Tensor& x, const Dims& output) {
    if (x->dims.rank == 2) {
        return x;
    }
    const Tensor from = dense(machine, x, "flatten");
    Tensor made = Machine::view(from, output, true);
    made->edge = viewNode(machine, from, from->dims, false);
    made->base = from->base ? from->base : from;
    return made;
}

Tensor affine(Machine& machine, const Tensor& x, const Tensor& weight, const Tensor& bias) {
    const Tensor turned = Machine::view(weight, {weight->dims[1], weight->dims[0]}, true);
    turned->edge = viewNode(machine, weight, weight->dims, false);
    const NodePtr node = bias ? machine.node({&x, &turned, &bias}) : machine.node({&x, &turned});
    beginProduct(machine, "linear", x, weight->dims);
    if (node && x->needsGradient()) {
        machine.save(node, turned);
    }
    if (node && turned->needsGradient()) {
        machine.save(node, x);
    }
    const bool addsBias = bias && weight->dims[0] > 1 && weight->dims[1] > 1;
    Tensor made = resultOf(machine, {x->dims[0], weight->dims[0]}, x->dtype, addsBias);
    if (!node) {
        return made;
    }
    node->inputs = {{x->dims, x->dtype}, {turned->dims, turned->dtype}};
    if (bias) {
        node->inputs.push_back({bias->dims, bias->dtype});
    }
    // addmm's backward begins with x's gradient, mm's with the weight's.
    node->apply = [weights = weight->dims, in = x->dims, turns = turned->dims, type = x->dtype,
                   order = bias ? std::array{0U, 1U} : std::array{1U, 0U}](Machine& m, Node& self,
                                                                           Tensor& gradient, Gradients& out) {
        for (const std::size_t i : order) {
            if (self.next[i]) {
                beginProduct(m, "linear backward", gradient, weights);
                out[i] = resultOf(m, i == 0 ? in : turns, type);
            }
        }
        if (self.next[2]) {
            out[2] = gradient;
        }
    };
    made->edge = node;
    return made;
}

Tensor linear(Machine& machine, const Tensor& x, const Tensor& weight, const Tensor& bias) {
    return affine(machine, x, weight, bias);
}

}  // namespace highwater::predict::ghost
