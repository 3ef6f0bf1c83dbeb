#include "core/predict/ghost/ops.h"
#include "core/predict/ghost/strides.h"

/// The layers of core/stack/tensor_layers.h, and products of matrices (TensorShape.cpp, LinearAlgebra.cpp).
namespace highwater::predict::ghost {

namespace {

/// The gradient of a view that changes the shape alone: a view where the strides allow it.
Tensor reshapedGradient(Machine& machine, const Tensor& gradient, const Dims& dims) {
    const auto strides = viewStrides(gradient->dims, stridesOf(gradient), dims);
    return strides ? stridedGradient(gradient, dims, *strides) : machine.empty(dims, gradient->dtype);
}

}  // namespace

NodePtr viewNode(Machine& machine, const Tensor& x, const Dims& dims, bool copies) {
    NodePtr node = machine.node({&x});
    if (node) {
        node->apply = [dims, copies](Machine& m, Node&, Tensor& gradient, Gradients& out) {
            const bool known = gradient->contiguous || gradient->strides;
            out[0] = known    ? reshapedGradient(m, gradient, dims)
                     : copies ? m.empty(dims)
                              : Machine::gradientView(gradient, dims, false);
        };
    }
    return node;
}

namespace {

NodePtr reshapeNode(Machine& machine, const Tensor& x) {
    NodePtr node = machine.node({&x});
    if (node) {
        node->apply = [dims = x->dims](Machine& m, Node&, Tensor& gradient, Gradients& out) {
            out[0] = reshapedGradient(m, gradient, dims);
        };
    }
    return node;
}

const Tensor& baseOf(const Tensor& x) {
    return x->base ? x->base : x;
}

}  // namespace

Tensor copyOf(Machine& machine, const Tensor& x, std::string_view label) {
    const NodePtr node = machine.node({&x});
    machine.op(label, "copy", 2 * static_cast<double>(x->bytes()));
    Tensor made = machine.empty(x->dims, x->dtype);
    if (node) {
        node->apply = [](Machine&, Node&, Tensor& gradient, Gradients& out) { out[0] = gradient; };
    }
    made->edge = node;
    return made;
}

Tensor reshape(Machine& machine, const Tensor& x, const Dims& output) {
    if (const auto strides = viewStrides(x->dims, stridesOf(x), output)) {
        Tensor made = stridedView(x, output, *strides);
        made->edge = reshapeNode(machine, x);
        made->base = baseOf(x);
        return made;
    }
    const Tensor dense = copyOf(machine, x, "reshape");
    Tensor made = Machine::view(dense, output, true);
    made->edge = reshapeNode(machine, dense);
    return made;
}

Tensor permute(Machine& machine, const stack::Sizes& axes, const Tensor& x) {
    Dims dims = x->dims;
    const Strides from = stridesOf(x);
    Strides strides{};
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const auto axis = static_cast<std::size_t>(axes[i]);
        dims.size[i] = x->dims.size[axis];
        strides[i] = from[axis];
    }
    const NodePtr node = machine.node({&x});
    Tensor made = stridedView(x, dims, strides);
    if (node) {
        node->apply = [axes, before = x->dims](Machine&, Node&, Tensor& gradient, Gradients& out) {
            const Strides its = stridesOf(gradient);
            Strides back{};
            for (std::size_t i = 0; i < axes.size(); ++i) {
                back[static_cast<std::size_t>(axes[i])] = its[i];
            }
            out[0] = stridedGradient(gradient, before, back);
        };
    }
    made->edge = node;
    made->base = baseOf(x);
    return made;
}

Tensor select(Machine& machine, const stack::Select& select, const Tensor& x) {
    const int dim = select.dim < 0 ? select.dim + x->dims.rank : select.dim;
    const Strides from = stridesOf(x);
    Dims dims;
    Strides strides{};
    for (int axis = 0; axis < x->dims.rank; ++axis) {
        if (axis != dim) {
            strides[static_cast<std::size_t>(dims.rank)] = from[static_cast<std::size_t>(axis)];
            dims[dims.rank++] = x->dims[axis];
        }
    }
    const NodePtr node = machine.node({&x});
    Tensor made = stridedView(x, dims, strides);
    if (node) {
        node->apply = [whole = x->dims, type = x->dtype](Machine& m, Node&, Tensor& gradient,
                                                         Gradients& out) {
            const auto bytes = static_cast<double>(gradient->bytes());
            m.op("select backward", "copy", 2 * bytes + static_cast<double>(whole.elements() * sizeOf(type)));
            out[0] = m.empty(whole, type);
        };
    }
    made->edge = node;
    made->base = baseOf(x);
    return made;
}

Tensor copied(Machine& machine, const stack::Copy& copy, const Tensor& x) {
    const bool always = copy.kind == stack::Copy::Kind::Clone;
    return !always && liesAs(x, false) ? x : copyOf(machine, x, always ? "clone" : "contiguous");
}

Tensor stochasticDepth(Machine& machine, const stack::StochasticDepth& depth, const Tensor& x,
                       ForwardMode mode) {
    if (depth.p == 0 || mode == ForwardMode::Evaluate) {
        return x;
    }
    beginElementwise(machine, "stochastic_depth", x, 2);
    Dims dims = x->dims;
    std::fill(dims.size.begin(), dims.size.end(), 1);
    dims[0] = depth.mode == stack::StochasticDepth::Mode::Row ? x->dims[0] : 1;
    const Tensor noise = machine.empty(dims, x->dtype);
    if (depth.scaleByKeep && depth.p < 1) {
        scalar(machine);
    }
    return timesNoise(machine, "stochastic_depth backward", x, noise, 2);
}

/// Both are kept, each for the other's gradient. Backward begins with the right one's.
Tensor batchProduct(Machine& machine, const Tensor& x, const Tensor& with) {
    const NodePtr node = machine.node({&x, &with});
    const Dims output{x->dims[0], x->dims[1], with->dims[2]};
    const auto begin = [](Machine& m, std::string_view label, const Dims& a, const Dims& b) {
        m.op(label, "conv_1x1", 4 * static_cast<double>(a.elements() + b.elements()),
             2 * static_cast<double>(a.elements()) * static_cast<double>(b[2]));
    };
    begin(machine, "matmul", x->dims, with->dims);
    if (node && with->needsGradient()) {
        machine.save(node, x);
    }
    if (node && x->needsGradient()) {
        machine.save(node, with);
    }
    const auto make = [](Machine& m, const Dims& dims, DType type) {
        Tensor made = m.empty(dims, type);
        if (m.ops.multiplied != nullptr) {
            m.ops.multiplied(m, false);
        }
        return made;
    };
    Tensor made = make(machine, output, x->dtype);
    if (node) {
        node->apply = [=, a = x->dims, b = with->dims](Machine& m, Node& self, Tensor& gradient,
                                                       Gradients& out) {
            for (const std::size_t i : {1U, 0U}) {
                if (self.next[i]) {
                    begin(m, "matmul backward", a, b);
                    out[i] = make(m, i == 0 ? a : b, gradient->dtype);
                }
            }
        };
    }
    made->edge = node;
    return made;
}

Tensor matmul(Machine& machine, const Tensor& x, const Tensor& with, const Dims& output) {
    const int last = x->dims.rank - 1;
    const auto batch = [last](const Tensor& of) {
        return Dims{of->dims.elements() / (of->dims[last - 1] * of->dims[last]), of->dims[last - 1],
                    of->dims[last]};
    };
    const Tensor left = reshape(machine, x, batch(x)), right = reshape(machine, with, batch(with));
    const Tensor product = batchProduct(machine, left, right);
    Tensor made = Machine::view(product, output, true);
    made->edge = reshapeNode(machine, product);
    return made;
}

}  // namespace highwater::predict::ghost
