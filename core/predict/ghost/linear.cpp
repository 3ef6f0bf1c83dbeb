#include "core/predict/ghost/ops.h"
#include "core/predict/ghost/strides.h"

/// linear (Linear.cpp, LinearAlgebra.cpp).
namespace highwater::predict::ghost {

namespace {

/// The result of a matrix product.
Tensor resultOf(Machine& machine, const Dims& dims, DType type, bool withBias = false) {
    Tensor made = machine.empty(dims, type);
    if (machine.ops.multiplied != nullptr) {
        machine.ops.multiplied(machine, withBias);
    }
    return made;
}

/// From 2.0 on every contiguous tensor is folded to rows, not only one with three axes.
bool foldsAnyRank(const Machine& machine) {
    return machine.torch >= memory::TorchVersion{2, 0};
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
    return liesAs(x, false) ? x : copyOf(machine, x, label);
}

namespace {

/// The copy that BLAS needs of a matrix in which neither rows nor columns are adjacent; nullptr for others.
StoragePtr blasCopy(Machine& machine, const Tensor& x) {
    const Strides strides = stridesOf(x);
    const bool rows = strides[1] == 1 && strides[0] >= std::max<std::int64_t>(1, x->dims[1]);
    const bool columns = strides[0] == 1 && strides[1] >= std::max<std::int64_t>(1, x->dims[0]);
    return machine.cuda || rows || columns ? nullptr : machine.allocate(x->bytes());
}

/// x's gradient has x's strides (FunctionsManual.cpp).
Tensor gradientLike(Machine& machine, const Dims& dims, const Strides& strides, DType type) {
    Tensor made = resultOf(machine, dims, type);
    if (strides[0] == 1 && strides[1] == dims[0]) {
        lay(*made, strides);
    }
    return made;
}

}  // namespace

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
    const StoragePtr copy = blasCopy(machine, x);
    if (!node) {
        return made;
    }
    node->inputs = {{x->dims, x->dtype}, {turned->dims, turned->dtype}};
    if (bias) {
        node->inputs.push_back({bias->dims, bias->dtype});
    }
    // addmm's backward begins with x's gradient, mm's with the weight's.
    node->apply = [weights = weight->dims, in = x->dims, lies = stridesOf(x), turns = turned->dims,
                   type = x->dtype, order = bias ? std::array{0U, 1U} : std::array{1U, 0U}](
                      Machine& m, Node& self, Tensor& gradient, Gradients& out) {
        for (const std::size_t i : order) {
            if (self.next[i]) {
                beginProduct(m, "linear backward", gradient, weights);
                out[i] = i == 0 ? gradientLike(m, in, lies, type) : resultOf(m, turns, type);
            }
        }
        if (self.next[2]) {
            out[2] = gradient;
        }
    };
    made->edge = node;
    return made;
}

/// expand, for each sample. If x has samples already it has one of them, whose gradient is not summed if it
/// is the only one.
Tensor repeated(Machine& machine, const Tensor& x, std::int64_t samples) {
    const Dims& its = x->dims;
    const Strides strides = stridesOf(x);
    const Tensor made = its.rank == 2
                            ? stridedView(x, {samples, its[0], its[1]}, {0, strides[0], strides[1]})
                            : stridedView(x, {samples, its[1], its[2]}, {0, strides[1], strides[2]});
    const NodePtr node = machine.node({&x});
    if (node) {
        node->apply = [its](Machine& m, Node&, Tensor& gradient, Gradients& out) {
            out[0] = gradient->dims == its ? gradient : sumTo(m, gradient, its);
        };
    }
    made->edge = node;
    return made;
}

namespace {

/// Tensors that 1.13 does not fold to rows: three axes with the last two transposed, as after permute(0, 2,
/// 1).
bool staysBatch(const Machine& machine, const Tensor& x) {
    const Strides strides = stridesOf(x);
    return machine.torch < memory::TorchVersion{2, 0} && x->dims.rank == 3 && strides[2] != 1 &&
           strides[0] == x->dims[1] * x->dims[2];
}

/// Each matrix of the batch times the weight, which is repeated. matmul reshapes both, so x's gradient is a
/// view.
Tensor timesRepeated(Machine& machine, const Tensor& x, const Tensor& weight) {
    return batchProduct(machine, reshape(machine, x, x->dims),
                        repeated(machine, permute(machine, {1, 0}, weight), x->dims[0]));
}

/// bias is added in place to x, which is not a view.
Tensor plusBias(Machine& machine, const Tensor& x, const Tensor& bias) {
    beginElementwise(machine, "add", x, 2);
    const NodePtr node = sumNode(machine, x, bias);
    if (node) {
        node->inputs = {{x->dims, x->dtype}, {bias->dims, bias->dtype}};
    }
    x->edge = node;
    return x;
}

}  // namespace

/// A contiguous input with a bias is one addmm; any other a product, to which the bias is added.
Tensor linear(Machine& machine, const Tensor& x, const Tensor& weight, const Tensor& bias) {
    if (x->dims.rank == 2) {
        return affine(machine, x, weight, bias);
    }
    Dims output = x->dims;
    const std::int64_t features = x->dims[x->dims.rank - 1];
    output[output.rank - 1] = weight->dims[0];
    const bool fused = bias && liesAs(x, false) && (x->dims.rank == 3 || foldsAnyRank(machine));
    if (!fused && staysBatch(machine, x)) {
        const Tensor made = timesRepeated(machine, x, weight);
        return bias ? plusBias(machine, made, bias) : made;
    }
    const Tensor rows = reshape(machine, x, {x->elements() / features, features});
    const Tensor made = affine(machine, rows, weight, fused ? bias : Tensor());
    Tensor result = reshape(machine, made, output);
    if (fused) {
        return result;
    }
    result->base = nullptr;  // _unsafe_view
    return bias ? plusBias(machine, result, bias) : result;
}

}  // namespace highwater::predict::ghost
