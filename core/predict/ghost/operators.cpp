#include "core/predict/ghost/operators.h"

#include "core/layers/rules.h"
#include "core/predict/ghost/cuda_ops.h"
#include "core/predict/ghost/strides.h"

/// Sums, means and norms over axes, and what repeats an axis (ReduceOps.cpp, LinearAlgebra.cpp,
/// FunctionsManual.cpp).
namespace highwater::predict::ghost {

namespace {

/// An input and the axes that are reduced.
struct Reduction {
    Dims whole, kept;  ///< the input's sizes, and with one element along the axes that are reduced
    Axes reduced;
    bool keepdim = true;

    Reduction(const Dims& dims, const stack::Sizes& dim, bool keeps)
        : whole(dims), kept(dims), keepdim(keeps) {
        const std::vector<bool> axes = stack::reducedAxes(dim, static_cast<std::size_t>(dims.rank));
        for (std::size_t axis = 0; axis < axes.size(); ++axis) {
            if (axes[axis]) {
                reduced.set(axis);
                kept.size[axis] = 1;
            }
        }
    }

    /// The result with the sizes that the operator returns.
    Tensor returned(const Tensor& made) const {
        if (keepdim) {
            return made;
        }
        Dims dims;
        for (int axis = 0; axis < kept.rank; ++axis) {
            if (!reduced[static_cast<std::size_t>(axis)]) {
                dims[dims.rank++] = kept[axis];
            }
        }
        made->dims = dims;
        return made;
    }

    /// The gradient of such a result with all axes: a view.
    Tensor restored(const Tensor& gradient) const {
        const Strides its = stridesOf(gradient);
        Strides strides{};
        const auto axes = static_cast<std::size_t>(whole.rank);
        auto from = static_cast<std::size_t>(gradient->dims.rank);
        for (std::size_t axis = axes; axis-- > 0;) {
            if (keepdim || !reduced[axis]) {
                strides[axis] = its[--from];
            } else {  // as unsqueeze
                strides[axis] = axis + 1 < axes ? kept.size[axis + 1] * strides[axis + 1] : 1;
            }
        }
        return stridedGradient(gradient, kept, strides);
    }

    /// The gradient of such a result, repeated over the input: a view.
    Tensor repeated(const Tensor& gradient) const {
        const Strides its = stridesOf(gradient);
        Strides strides{};
        for (std::size_t axis = 0, from = 0; axis < static_cast<std::size_t>(whole.rank); ++axis) {
            strides[axis] = reduced[axis] ? 0 : its[from];
            from += keepdim || !reduced[axis] ? 1 : 0;
        }
        return stridedGradient(gradient, whole, strides);
    }
};

/// The value of each group, which a GPU's kernel accumulates so.
Tensor combined(Machine& machine, std::string_view label, const Tensor& x, const Reduction& over, DType type,
                const Accumulator& accumulator) {
    beginElementwise(machine, label, x, 1);
    Tensor made = machine.empty(over.kept, type);
    if (machine.ops.shareSums != nullptr) {
        machine.ops.shareSums(machine, x, over.reduced, accumulator);
    }
    return made;
}

/// The type of a sum: autocast asks for fp32.
DType sumType(const Machine& machine, const Tensor& x) {
    return isLow(autocastType(machine)) ? DType::Float32 : x->dtype;
}

}  // namespace

Tensor Operators::expand(const Tensor& x, const stack::Sizes& shape) {
    Dims dims = x->dims;
    Strides strides = stridesOf(x);
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        if (shape[axis] != -1 && shape[axis] != dims.size[axis]) {
            dims.size[axis] = shape[axis];
            strides[axis] = 0;
        }
    }
    const NodePtr node = machine_.node({&x});
    Tensor made = stridedView(x, dims, strides);
    if (node) {
        node->apply = [its = x->dims](Machine& m, Node&, Tensor& gradient, Gradients& out) {
            out[0] = gradient->dims == its ? gradient : sumTo(m, gradient, its);
        };
    }
    made->edge = node;
    made->base = x->base ? x->base : x;
    return made;
}

Tensor Operators::sum(const Tensor& x, const stack::Sizes& dim, bool keepdim) {
    const Reduction over(x->dims, dim, keepdim);
    const NodePtr node = machine_.node({&x});
    Tensor made = sumTo(machine_, x, over.kept, sumType(machine_, x));
    if (node) {
        node->inputs = {{x->dims, x->dtype}};
        node->apply = [over](Machine&, Node&, Tensor& gradient, Gradients& out) {
            out[0] = over.repeated(gradient);
        };
    }
    made->edge = node;
    return over.returned(made);
}

Tensor Operators::mean(const Tensor& x, const stack::Sizes& dim, bool keepdim) {
    const Reduction over(x->dims, dim, keepdim);
    const NodePtr node = machine_.node({&x});
    if (machine_.torch < memory::TorchVersion{2, 0}) {
        machine_.save(node, x);
    }
    Tensor made = sumTo(machine_, x, over.kept);
    scalar(machine_);
    if (node) {
        node->apply = [over](Machine& m, Node&, Tensor& gradient, Gradients& out) {
            const Tensor each = over.repeated(gradient);
            beginElementwise(m, "mean backward", each, 1);
            out[0] = withScalar(m, [&] { return m.like(each); });
        };
    }
    made->edge = node;
    return over.returned(made);
}

/// The input's gradient is (2 / N * grad) * (x - mean).
Tensor Operators::var(const Tensor& x, const stack::Sizes& dim, int /*correction*/, bool keepdim) {
    const Reduction over(x->dims, dim, keepdim);
    const NodePtr node = machine_.node({&x});
    machine_.save(node, x);
    constexpr Accumulator kWelford{16, 2};
    Tensor made = combined(machine_, "var", x, over, x->dtype, kWelford);
    if (machine_.cuda) {
        resized(machine_, x->dtype);
    }
    if (!machine_.cuda && over.kept.elements() == 1 && !isLow(x->dtype)) {
        const Tensor mean = sumTo(machine_, x, {});  // std_var_all_cpu begins with it
        scalar(machine_);
    }
    if (node) {
        node->apply = [over, lies = outlineOf(x)](Machine& m, Node&, Tensor& gradient, Gradients& out) {
            beginElementwise(m, "var backward", lies, 5);
            const Tensor mean = sumTo(m, lies, over.kept);
            scalar(m);
            const Tensor difference = emptyPairwise(m, lies, mean, over.whole, lies->dtype),
                         factor = withScalar(m, [&] { return m.like(over.restored(gradient)); });
            out[0] = emptyPairwise(m, factor, difference, over.whole, lies->dtype);
        };
    }
    made->edge = node;
    return over.returned(made);
}

/// The input's gradient is grad / (x == max).sum() * (x == max).
Tensor Operators::amax(const Tensor& x, const stack::Sizes& dim, bool keepdim) {
    const Reduction over(x->dims, dim, keepdim);
    const NodePtr node = machine_.node({&x});
    machine_.save(node, x);
    Tensor made = combined(machine_, "amax", x, over, x->dtype, {sizeOf(x->dtype), 4});
    machine_.save(node, made);
    if (node) {
        node->apply = [over, lies = outlineOf(x), result = outlineOf(made)](
                          Machine& m, Node&, Tensor& gradient, Gradients& out) {
            beginElementwise(m, "amax backward", lies, 5);
            const Tensor isLargest = emptyPairwise(m, result, lies, over.whole, DType::Bool);
            const Tensor count = m.empty(over.kept, DType::Int64);
            m.allocate(over.whole.elements() * sizeOf(DType::Int64));
            const Tensor share = emptyPairwise(m, over.restored(gradient), count, over.kept, lies->dtype);
            m.allocate(m.cuda ? 0 : share->bytes());
            out[0] = emptyPairwise(m, share, isLargest, over.whole, lies->dtype);
            m.allocate(m.cuda ? 0 : out[0]->bytes());
        };
    }
    made->edge = node;
    return over.returned(made);
}

/// The input's gradient is grad * (x / norm).masked_fill_(norm == 0, 0). Autocast asks for a result in fp32,
/// which is computed without a copy unless each group has one value.
Tensor Operators::vectorNorm(const Tensor& x, const stack::Sizes& dim, bool keepdim) {
    const Reduction over(x->dims, dim, keepdim);
    const DType type = sumType(machine_, x);
    const NodePtr node = machine_.node({&x});
    machine_.save(node, x);
    Tensor made = combined(machine_, "norm", x, over, type, {4, 4});
    if (over.whole == over.kept && type != x->dtype) {  // of single values: the absolute values of a cast
        machine_.allocate(made->bytes());
    }
    machine_.save(node, made);
    if (node) {
        node->inputs = {{x->dims, x->dtype}};
        node->apply = [over, type, lies = outlineOf(x)](Machine& m, Node&, Tensor& gradient, Gradients& out) {
            beginElementwise(m, "norm backward", lies, 5);
            const Tensor ratio = emptyLike(m, lies, type);
            const Tensor zeros = compared(m, over.kept);
            out[0] = emptyPairwise(m, over.restored(gradient), ratio, over.whole, type);
        };
    }
    made->edge = node;
    return over.returned(made);
}

/// x's sizes are the result's. All three are in x's gradient's graph: the gradient of the weight is
/// grad * (x * 1), that of x grad * (weight * 1).
Tensor Operators::addcmul(const Tensor& bias, const Tensor& weight, const Tensor& given) {
    const Tensor x = machine_.ops.widen != nullptr ? machine_.ops.widen(machine_, given) : given;
    const NodePtr node = machine_.node({&bias, &weight, &x});
    if (node) {
        for (const Tensor* const each : {&bias, &weight, &x}) {
            node->inputs.push_back({(*each)->dims, (*each)->dtype});
        }
        machine_.save(node, x);
        if (x->needsGradient()) {
            machine_.save(node, weight);
        }
    }
    beginElementwise(machine_, "addcmul", x, 2);
    Tensor made = emptyPairwise(machine_, bias, x, x->dims, x->dtype);  // the weight has the bias's strides
    if (node) {
        node->apply = [factors = std::array{outlineOf(x), outlineOf(weight)}](
                          Machine& m, Node& self, Tensor& gradient, Gradients& out) {
            out[0] = self.next[0] ? gradient : nullptr;
            for (const std::size_t i : {1U, 2U}) {
                if (self.next[i]) {
                    beginElementwise(m, "addcmul backward", gradient, i == 1 ? 5 : 3);
                    const Tensor factor = withScalar(m, [&] { return m.like(factors[i - 1]); });
                    out[i] = emptyPairwise(m, gradient, factor, gradient->dims, gradient->dtype);
                }
            }
        };
    }
    made->edge = node;
    return made;
}

}  // namespace highwater::predict::ghost
