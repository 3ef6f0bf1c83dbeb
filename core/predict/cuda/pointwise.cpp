#include "core/layers/activation.h"
#include "core/predict/ghost/cuda_ops.h"
#include "core/predict/ghost/strides.h"

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
        node->apply = [=, lies = outlineOf(x), dims = x->dims, type = x->dtype](
                          Machine& m, Node&, Tensor& gradient, Gradients& out) {
            beginCuda(m, label, gradient, tensors);
            if (tensors >= 3) {  // it reads the tensor saved of x
                readsInto(m, lies, gradient->channelsLast);
            }
            out[0] = gradient->dims == dims ? emptyPairwise(m, gradient, lies, dims, type)
                                            : emptyOrdered(m, dims, gradient, type);
        };
    }
}

DType wider(const Tensor& a, const Tensor& b) {
    return a->dtype == b->dtype ? a->dtype : DType::Float32;
}

}  // namespace

void rewriteViewCuda(Machine& machine, const Tensor& view, const NodePtr& node) {
    const Tensor& base = view->base;
    node->apply = [inner = std::move(node->apply), dims = base->dims, type = base->dtype,
                   lies = stridesOf(base),
                   its = view->dims](Machine& m, Node& self, Tensor&, Gradients& out) {
        WalkOp& op = m.op("activation backward", "copy", 0);
        Tensor result = m.empty(dims, type);
        lay(*result, lies);
        Tensor part = m.empty(its, type);  // contiguous (CopySlices)
        op.bytesMoved = 6 * static_cast<double>(part->bytes());
        Gradients made;
        Tensor held = part;  // referenced by the list with the operator's gradient
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
    strided->apply = [dims = base->dims, type = base->dtype, lies = stridesOf(base)](
                         Machine& m, Node&, Tensor& gradient, Gradients& out) {
        m.op("view backward", "copy", 3 * static_cast<double>(gradient->bytes()));
        readsInto(m, gradient, false);
        out[0] = m.empty(dims, type);
        lay(*out[0], lies);
    };
    view->edge = strided;
}

Tensor activationCuda(Machine& machine, const stack::Activation& activation, const Tensor& given) {
    const CudaActivation kind = activation.kind;
    const Tensor x = kind == CudaActivation::Softplus ? widenCuda(machine, given) : given;
    const NodePtr node = machine.node({&x});
    beginCuda(machine, "activation", x, 2);
    if (node && readsFirst(kind)) {
        node->apply = [lies = outlineOf(x)](Machine& m, Node&, Tensor& gradient, Gradients& out) {
            beginCuda(m, "activation backward", gradient, 3);
            readsInto(m, gradient, lies->channelsLast);
            out[0] = emptyPairwise(m, lies, gradient, lies->dims, lies->dtype);
        };
    } else {
        givesOne(node, "activation backward", x, 3);
    }
    if (node && (kind == CudaActivation::ClampMin || kind == CudaActivation::Sqrt)) {
        node->apply = [inner = std::move(node->apply), kind, lies = outlineOf(x)](
                          Machine& m, Node& self, Tensor& gradient, Gradients& out) {
            const std::vector<Tensor> more = gradientTemporaries(m, kind, lies, gradient);
            inner(m, self, gradient, out);
            if (kind == CudaActivation::ClampMin) {  // where() makes it by resize_
                resized(m, lies->dtype);
            }
        };
    }
    if (node && kind == CudaActivation::Mish) {  // its gradient is made by resize_
        node->apply = [inner = std::move(node->apply), type = x->dtype](Machine& m, Node& self,
                                                                        Tensor& gradient, Gradients& out) {
            inner(m, self, gradient, out);
            resized(m, type);
        };
    }
    const stack::Kept kept = keptBy(activation);
    if (worksInPlace(activation)) {
        machine.save(node, kept == stack::Kept::CopyOfInput && node ? machine.like(x) : x);
        if (node && x->base) {
            rewriteViewCuda(machine, x, node);
        } else if (node) {
            x->edge = node;
        }
        return x;
    }
    if (kept == stack::Kept::Input) {
        machine.save(node, x);
    }
    Tensor made = machine.like(x);
    if (kept == stack::Kept::Result) {
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

/// The weight's gradient is computed for each element and then summed. Autocast computes it in fp16 or bf16.
Tensor preluCuda(Machine& machine, const Tensor& given, const Tensor& parameter) {
    const DType type = autocastType(machine);
    // Autocast casts from last argument to first.
    const Tensor slopes = castParameter(machine, parameter);
    const Tensor x = isLow(type) ? cast(machine, given, type) : given;
    Tensor weight = slopes;
    if (slopes->dims.elements() != 1) {
        Dims across = x->dims;
        for (int axis = 0; axis < across.rank; ++axis) {
            across[axis] = axis == 1 ? slopes->dims[0] : 1;
        }
        weight = Machine::view(slopes, across, true);
        weight->edge = viewNode(machine, slopes, slopes->dims, false);
    }
    const NodePtr node = machine.node({&x, &weight});
    beginCuda(machine, "prelu", x, 2);
    machine.save(node, x);
    machine.save(node, weight);
    Tensor made = machine.like(x);
    if (node) {
        node->inputs = {{x->dims, x->dtype}, {weight->dims, weight->dtype}};
        node->apply = [type = x->dtype](Machine& m, Node&, Tensor& gradient, Gradients& out) {
            beginCuda(m, "prelu backward", gradient, 4);
            for (const std::size_t i : {0U, 1U}) {
                out[i] = emptyLike(m, gradient, type);
                resized(m, type);
            }
        };
    }
    made->edge = node;
    return made;
}

namespace {

/// The result of add, sub or mul, in the wider type and in x's layout.
Tensor pairwise(Machine& machine, std::string_view label, const Tensor& x, const Tensor& with,
                const Dims& output, const NodePtr& node) {
    beginCuda(machine, label, largerOf(x, with, output), 3);
    const Tensor& larger = largerOf(x, with, output);
    if (x->dims == with->dims) {
        readsInto(machine, &larger == &x ? with : x, larger->channelsLast);
    }
    Tensor made = emptyPairwise(machine, x, with, output, wider(x, with));
    if (node) {
        node->inputs = {{x->dims, x->dtype}, {with->dims, with->dtype}};
    }
    made->edge = node;
    return made;
}

Tensor addCuda(Machine& machine, const Tensor& x, const Tensor& with, const Dims& output) {
    return pairwise(machine, "add", x, with, output, sumNode(machine, x, with));
}

Tensor subCuda(Machine& machine, const Tensor& x, const Tensor& with, const Dims& output) {
    const NodePtr node = machine.node({&x, &with});
    if (node) {
        node->apply = [](Machine& m, Node& self, Tensor& gradient, Gradients& out) {
            out[0] = self.next[0] ? gradient : nullptr;
            if (self.next[1]) {
                beginCuda(m, "sub backward", gradient, 2);
                out[1] = m.like(gradient);
            }
        };
    }
    return pairwise(machine, "sub", x, with, output, node);
}

Tensor mulCuda(Machine& machine, const Tensor& x, const Tensor& with, const Dims& output) {
    const NodePtr node = machine.node({&x, &with});
    if (node && with->needsGradient()) {
        machine.save(node, x);
    }
    if (node && x->needsGradient()) {
        machine.save(node, with);
    }
    if (node) {
        node->apply = productBackward(x, with);
    }
    return pairwise(machine, "mul", x, with, output, node);
}

/// Autocast casts both.
Tensor matmulCuda(Machine& machine, const Tensor& x, const Tensor& with, const Dims& output) {
    const DType type = autocastType(machine);
    if (!isLow(type)) {
        return matmul(machine, x, with, output);
    }
    const Tensor right = cast(machine, with, type);
    return matmul(machine, cast(machine, x, type), right, output);
}

}  // namespace

Tensor mergeCuda(Machine& machine, stack::Merge::Kind kind, const Tensor& x, const std::vector<Tensor>& with,
                 const Dims& output) {
    switch (kind) {
        case stack::Merge::Kind::Sub:
            return subCuda(machine, x, with.at(0), output);
        case stack::Merge::Kind::Mul:
            return mulCuda(machine, x, with.at(0), output);
        case stack::Merge::Kind::Div:
            beginCuda(machine, "div", largerOf(x, with.at(0), output), 3);
            return quotient(machine, x, with.at(0), output);
        case stack::Merge::Kind::Concat:
            return concat(machine, x, with, output);
        case stack::Merge::Kind::Matmul:
            return matmulCuda(machine, x, with.at(0), output);
        default:
            break;
    }
    return addCuda(machine, x, with.at(0), output);
}

Tensor padCuda(Machine& machine, const Tensor& x, stack::PaddingMode mode, const Borders& borders) {
    if (mode == stack::PaddingMode::Circular) {
        return pad(machine, x, mode, borders);
    }
    Dims whole = x->dims;
    whole[1] += borders.channels;
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
        const StoragePtr copy = temporaryCopy(machine, x);
    }
    givesOne(node, "pad backward", x, 2);
    if (node && !zeros) {
        node->apply = [dims = x->dims, type = x->dtype](Machine& m, Node&, Tensor& gradient, Gradients& out) {
            beginCuda(m, "pad backward", gradient, 2);
            out[0] = m.empty(dims, type);
            const StoragePtr copy = temporaryCopy(m, gradient);
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
    readsInto(machine, gradient, buffer->channelsLast);
    if (!ownsItsStorage(buffer) || machine.target.versions.libtorch < memory::TorchVersion{2, 0}) {
        buffer = emptyLike(machine, buffer, gradient->dtype);
    }
}

/// Needs only a few bytes, on the host.
Tensor generatorStateCuda(Machine&) {
    return nullptr;
}

}  // namespace highwater::predict::ghost
