#include "core/predict/cuda/ops.h"

/// Activations, dropout, merges and gradient sums on a GPU. A gradient has its tensor's type.
namespace highwater::predict::ghost {

namespace {

using CudaActivation = stack::Activation::Kind;

WalkOp& beginCuda(Machine& machine, std::string_view label, const Tensor& x, double tensors) {
    return machine.op(label, "elementwise", tensors * static_cast<double>(x->bytes()));
}

/// A node whose gradient is one new tensor.
void givesOne(const NodePtr& node, std::string_view label, const Tensor& x, double tensors) {
    if (node) {
        node->apply = [=, dims = x->dims, type = x->dtype](Machine& m, Node&, Tensor& gradient,
                                                           Gradients& out) {
            beginCuda(m, label, gradient, tensors);
            out[0] = emptyAs(m, dims, type, gradient->channelsLast);
        };
    }
}

/// Returns the gradient in its tensor's type: cast if the operator's result had a wider type.
Tensor inType(Machine& machine, const Tensor& gradient, const Dims& dims, DType type) {
    return gradient->dtype == type ? gradient : emptyAs(machine, dims, type, gradient->channelsLast);
}

DType wider(const Tensor& a, const Tensor& b) {
    return a->dtype == b->dtype ? a->dtype : DType::Float32;
}

}  // namespace

void rewriteViewCuda(Machine& machine, const Tensor& view, const NodePtr& node) {
    const Tensor& base = view->base;
    node->apply = [inner = std::move(node->apply), dims = base->dims, type = base->dtype](
                      Machine& m, Node& self, Tensor&, Gradients& out) {
        WalkOp& op = m.op("activation backward", "copy", 0);
        Tensor result = m.empty(dims, type);
        Tensor part = m.empty(dims, type);
        op.bytesMoved = 6 * static_cast<double>(part->bytes());
        Gradients made;
        Tensor held = part;  // the list with the operator's gradient holds it
        inner(m, self, part, made);
        part.reset();
        held.reset();
        out[1] = std::move(made[1]);
        out[2] = std::move(made[2]);
        drop(made);
        out[0] = std::move(result);
    };
    node->next[0] = base->edge;
    base->edge = node;
    const NodePtr strided = machine.node({&base});
    strided->apply = [dims = base->dims, type = base->dtype](Machine& m, Node&, Tensor&, Gradients& out) {
        out[0] = m.empty(dims, type);
    };
    view->edge = strided;
}

Tensor activationCuda(Machine& machine, const stack::Activation& activation, const Tensor& x) {
    const CudaActivation kind = activation.kind;
    const NodePtr node = machine.node({&x});
    beginCuda(machine, "activation", x, 2);
    // These two operators have the tensor as first operand, the gradient as second, so the result has the
    // tensor's strides.
    if (node && (kind == CudaActivation::Relu || kind == CudaActivation::LeakyRelu)) {
        node->apply = [like = x->channelsLast, dims = x->dims, type = x->dtype](
                          Machine& m, Node&, Tensor& gradient, Gradients& out) {
            beginCuda(m, "activation backward", gradient, 3);
            out[0] = emptyAs(m, dims, type, like);
        };
    } else {
        givesOne(node, "activation backward", x, 3);
    }
    if (activation.inplace && kind != CudaActivation::Gelu) {
        if (kind == CudaActivation::Silu && node) {
            machine.save(node, machine.like(x));
        } else {
            machine.save(node, x);
        }
        if (node && x->base) {
            rewriteViewCuda(machine, x, node);
        } else if (node) {
            x->edge = node;
        }
        return x;
    }
    if (kind != CudaActivation::Relu) {
        machine.save(node, x);
    }
    Tensor made = machine.like(x);
    if (kind == CudaActivation::Relu) {
        machine.save(node, made);
    }
    made->edge = node;
    return made;
}

/// native_dropout keeps one byte per element; feature dropout multiplies by one number per channel.
Tensor dropoutCuda(Machine& machine, const stack::Dropout& dropout, const Tensor& x, ForwardMode mode) {
    if (dropout.p == 0 || mode == ForwardMode::Evaluate) {
        return x;
    }
    beginCuda(machine, "dropout", x, 2.5);
    const NodePtr node = machine.node({&x});
    givesOne(node, "dropout backward", x, 2.5);
    Tensor made;
    if (dropout.feature) {
        const Tensor noise = machine.empty({x->dims[0], x->dims[1]}, x->dtype);
        machine.save(node, noise);
        made = machine.like(x);
    } else {
        const Tensor mask = machine.empty(x->dims, DType::Bool);
        made = machine.like(x);
        machine.save(node, mask);
    }
    made->edge = node;
    return made;
}

Tensor mergeCuda(Machine& machine, stack::Merge::Kind kind, const Tensor& x, const Tensor& with) {
    const DType type = wider(x, with);
    if (kind == stack::Merge::Kind::Add) {
        const NodePtr node = machine.node({&x, &with});
        beginCuda(machine, "add", x, 3);
        Tensor made = emptyAs(machine, x->dims, type, x->channelsLast);
        if (node) {
            node->apply = [dims = x->dims, a = x->dtype, b = with->dtype](Machine& m, Node& self,
                                                                          Tensor& gradient, Gradients& out) {
                for (const std::size_t i : {0U, 1U}) {
                    if (self.next[i]) {
                        out[i] = inType(m, gradient, dims, i == 0 ? a : b);
                    }
                }
            };
        }
        made->edge = node;
        return made;
    }
    // Joins in the widest type; the parts of the gradient are cast back.
    const NodePtr node = machine.node({&x, &with});
    Dims dims = x->dims;
    dims[1] += with->dims[1];
    machine.op("concat", "copy", 2 * static_cast<double>(x->bytes() + with->bytes()));
    Tensor made = emptyAs(machine, dims, type, x->channelsLast && with->channelsLast);
    if (node) {
        node->apply = [a = x->dims, b = with->dims, types = std::array{x->dtype, with->dtype}](
                          Machine& m, Node& self, Tensor& gradient, Gradients& out) {
            const bool contiguous = liesAs(gradient, false) && a[0] == 1;
            out[0] = Machine::gradientView(gradient, a, contiguous);
            out[1] = Machine::gradientView(gradient, b, contiguous);
            for (const std::size_t i : {0U, 1U}) {
                if (self.next[i]) {
                    out[i] = inType(m, out[i], out[i]->dims, types[i]);
                }
            }
        };
    }
    made->edge = node;
    return made;
}

Tensor padCuda(Machine& machine, const Tensor& x, stack::PaddingMode mode, const Borders& borders) {
    if (mode == stack::PaddingMode::Circular) {
        return pad(machine, x, mode, borders);
    }
    Dims whole = x->dims;
    for (int axis = 2; axis < whole.rank; ++axis) {
        whole[axis] += borders.before[static_cast<std::size_t>(axis - 2)] +
                       borders.after[static_cast<std::size_t>(axis - 2)];
    }
    const NodePtr node = machine.node({&x});
    WalkOp& op = machine.op("pad", "copy", static_cast<double>(x->bytes()));
    if (mode != stack::PaddingMode::Zeros) {
        machine.save(node, x);
    }
    const bool zeros = mode == stack::PaddingMode::Zeros;
    Tensor made = emptyAs(machine, whole, x->dtype, zeros && x->channelsLast);
    op.bytesMoved += static_cast<double>(made->bytes());
    // Only this result is made by resize_.
    if (mode == stack::PaddingMode::Reflect && whole.rank == 4) {
        resized(machine, x->dtype);
    }
    const bool copies = mode == stack::PaddingMode::Reflect && whole.rank == 4;  // others take any strides
    if (copies) {
        const StoragePtr copy = contiguousCopy(machine, x);
    }
    givesOne(node, "pad backward", x, 2);
    if (node && !zeros) {
        node->apply = [dims = x->dims, type = x->dtype](Machine& m, Node&, Tensor& gradient, Gradients& out) {
            beginCuda(m, "pad backward", gradient, 2);
            out[0] = m.empty(dims, type);
            const StoragePtr copy = contiguousCopy(m, gradient);
        };
    }
    made->edge = node;
    return made;
}

/// From 2.0 on the second gradient is added in place to the first if nothing else holds the first
/// (input_buffer.cpp).
void accumulateCuda(Machine& machine, Tensor& buffer, Tensor&& gradient) {
    if (!buffer) {
        buffer = std::move(gradient);
        return;
    }
    beginCuda(machine, "sum of gradients", gradient, 3);
    const bool own = buffer.use_count() == 1 && buffer->storage.use_count() == 1 && buffer->contiguous;
    if (!own || machine.target.versions.libtorch < memory::TorchVersion{2, 0}) {
        buffer = emptyAs(machine, gradient->dims, gradient->dtype, buffer->channelsLast);
    }
}

/// Needs only a few bytes, on the host.
Tensor generatorStateCuda(Machine&) {
    return nullptr;
}

}  // namespace highwater::predict::ghost
