#include "core/layers/activation.h"
#include "core/predict/ghost/cuda_ops.h"
#include "core/predict/ghost/ops.h"
#include "core/predict/ghost/strides.h"

/// Activations, dropout, merges and gradient sums on the CPU.
namespace highwater::predict::ghost {

namespace {

/// Overwrites x; from here on x's gradient goes to the new node.
Tensor inPlace(Machine& machine, stack::Kept kept, const Tensor& x, const NodePtr& node) {
    if (kept == stack::Kept::CopyOfInput && node) {
        machine.save(node, machine.like(x));
    }
    if (node && x->base) {
        rewriteView(machine, x, node);
    } else if (node) {
        x->edge = node;
    }
    if (kept == stack::Kept::Result) {
        machine.save(node, x);
    }
    return x;
}

}  // namespace

void rewriteView(Machine& machine, const Tensor& view, const NodePtr& node) {
    const Tensor& base = view->base;
    node->apply = [inner = std::move(node->apply), dims = base->dims, lies = stridesOf(base),
                   its = view->dims](Machine& m, Node& self, Tensor&, Gradients& out) {
        Tensor result = m.empty(dims);
        lay(*result, lies);
        Tensor part = m.empty(its);  // contiguous (CopySlices)
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
    strided->apply = [dims = base->dims, lies = stridesOf(base)](Machine& m, Node&, Tensor&, Gradients& out) {
        out[0] = stridedGradient(m.empty(dims), dims, lies);
    };
    view->edge = strided;
}

bool readsFirst(stack::Activation::Kind kind) {
    using Kind = stack::Activation::Kind;
    return kind == Kind::Relu || kind == Kind::LeakyRelu || kind == Kind::ClampMin;
}

std::vector<Tensor> gradientTemporaries(Machine& machine, stack::Activation::Kind kind, const Tensor& x,
                                        const Tensor& gradient) {
    if (kind == stack::Activation::Kind::Sqrt) {  // grad / (2 * result)
        return {withScalar(machine, [&] { return machine.like(gradient); })};
    }
    if (kind != stack::Activation::Kind::ClampMin) {
        return {};
    }
    std::vector<Tensor> made = {machine.empty({}, gradient->dtype)};  // where(x >= min, grad, 0)
    made.push_back(compared(machine, x->dims));
    return made;
}

Tensor compared(Machine& machine, const Dims& dims) {
    StoragePtr wrapped = machine.cuda ? nullptr : machine.allocate(8);
    const StoragePtr cast = machine.cuda ? nullptr : machine.allocate(4);
    Tensor made = machine.empty(dims, DType::Bool);
    wrapped.reset();
    return made;
}

Tensor activation(Machine& machine, const stack::Activation& activation, const Tensor& x) {
    const std::string_view label = stack::factsOf(activation.kind).name;
    const NodePtr node = machine.node({&x});
    beginElementwise(machine, label, x, 2);
    if (node) {
        // On the CPU, oneDNN computes gelu of a contiguous tensor.
        const bool copies =
            activation.kind == stack::Activation::Kind::Gelu && !machine.cuda && liesAs(x, false);
        const bool its = readsFirst(activation.kind);
        node->apply = [lies = outlineOf(x), kind = activation.kind, its, label, copies](
                          Machine& m, Node&, Tensor& gradient, Gradients& out) {
            if (copies && m.torch < memory::TorchVersion{2, 0}) {
                gradient = dense(m, gradient, "contiguous");  // the engine's own rule, see its gelu
            }
            beginElementwise(m, label, gradient, 3);
            std::vector<Tensor> more = gradientTemporaries(m, kind, lies, gradient);
            // oneDNN computes on copies, also of the result if its axes are in another order.
            const bool turned =
                copies && !isContiguous(gradient->dims, denseStrides(gradient->dims, stridesOf(gradient)));
            StoragePtr first = copies && !turned ? temporaryCopy(m, gradient) : nullptr;
            out[0] = copies ? m.like(gradient)
                     : its  ? emptyPairwise(m, lies, gradient, lies->dims, gradient->dtype)
                            : emptyPairwise(m, gradient, lies, lies->dims, gradient->dtype);
            if (turned) {
                first = m.allocate(gradient->bytes());
                const StoragePtr result = m.allocate(gradient->bytes());
                first.reset();
            }
            while (!more.empty()) {  // as C++ destroys temporaries, the last one first
                more.pop_back();
            }
        };
    }
    const stack::Kept kept = keptBy(activation);
    if (worksInPlace(activation)) {
        return inPlace(machine, kept, x, node);
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

/// The weight's gradient is first computed for each element.
Tensor prelu(Machine& machine, const Tensor& x, const Tensor& weight) {
    const NodePtr node = machine.node({&x, &weight});
    beginElementwise(machine, "prelu", x, 2);
    machine.save(node, x);
    machine.save(node, weight);
    Tensor made = emptyAs(machine, x->dims, x->dtype, x->channelsLast);
    if (node) {
        node->apply = [dims = x->dims, last = x->channelsLast, slopes = weight->dims](
                          Machine& m, Node&, Tensor& gradient, Gradients& out) {
            beginElementwise(m, "prelu backward", gradient, 4);
            out[0] = emptyAs(m, dims, gradient->dtype, last);
            out[1] = m.empty(slopes);
            const Tensor each = m.empty(dims);
            const Tensor sum = m.empty(slopes);
            if (slopes.elements() == 1) {
                threadsSum(m, dims.elements());
            }
        };
    }
    made->edge = node;
    return made;
}

Tensor timesNoise(Machine& machine, std::string_view label, const Tensor& x, const Tensor& noise,
                  double tensors) {
    const NodePtr node = machine.node({&x});
    machine.save(node, noise);
    Tensor made = machine.like(x);
    if (node) {
        node->apply = [label, tensors](Machine& m, Node&, Tensor& gradient, Gradients& out) {
            beginElementwise(m, label, gradient, tensors);
            out[0] = m.like(gradient);
        };
    }
    made->edge = node;
    return made;
}

Tensor dropout(Machine& machine, const stack::Dropout& dropout, const Tensor& x, ForwardMode mode) {
    if (dropout.p == 0 || mode == ForwardMode::Evaluate) {
        return x;
    }
    beginElementwise(machine, "dropout", x, 3);
    const bool all = dropout.p == 1;
    const Tensor noise = all               ? machine.empty({})
                         : dropout.feature ? machine.empty({x->dims[0], x->dims[1]})
                                           : machine.like(x);
    if (!all) {
        scalar(machine);
    }
    return timesNoise(machine, "dropout backward", x, noise, 3);
}

NodePtr sumNode(Machine& machine, const Tensor& a, const Tensor& b) {
    const NodePtr node = machine.node({&a, &b});
    if (node) {
        node->apply = [](Machine&, Node& self, Tensor& gradient, Gradients& out) {
            for (const std::size_t i : {0U, 1U}) {
                if (self.next[i]) {
                    out[i] = gradient;
                }
            }
        };
    }
    return node;
}

Tensor addInPlace(Machine& machine, const Tensor& x, const Tensor& with) {
    const NodePtr node = sumNode(machine, x, with);
    beginElementwise(machine, "add", x, 3);
    if (!node) {
        return x;
    }
    const Tensor& written = x->base ? x->base : x;
    node->inputs = {{written->dims, written->dtype}, {with->dims, with->dtype}};
    if (x->base) {
        // The gradient passed on has the view's sizes.
        node->apply = [dims = x->dims](Machine&, Node& self, Tensor& gradient, Gradients& out) {
            out[0] = gradient;
            out[1] = self.next[1] ? Machine::gradientView(gradient, dims, true) : nullptr;
        };
        (machine.cuda ? rewriteViewCuda : rewriteView)(machine, x, node);
    } else {
        x->edge = node;
    }
    return x;
}

Tensor concat(Machine& machine, const Tensor& x, const std::vector<Tensor>& with, const Dims& output) {
    std::vector<const Tensor*> all = {&x};
    for (const Tensor& other : with) {
        all.push_back(&other);
    }
    const NodePtr node = machine.node(all);
    DType type = x->dtype;
    bool channelsLast = true;
    double bytes = 0;
    std::vector<Node::Input> parts;
    for (const Tensor* each : all) {
        type = (*each)->dtype == type ? type : DType::Float32;
        channelsLast = channelsLast && (*each)->channelsLast;
        bytes += static_cast<double>((*each)->bytes());
        parts.push_back({(*each)->dims, (*each)->dtype});
    }
    WalkOp& op = machine.op("concat", machine.cuda ? "concat" : "copy", 2 * bytes);
    for (const Tensor* each : all) {
        readsInto(machine, *each, channelsLast);
    }
    op.dtype = type;
    Tensor made = machine.empty(output, type);
    made->channelsLast = channelsLast;
    if (node) {
        node->apply = [parts](Machine& m, Node& self, Tensor& gradient, Gradients& out) {
            std::int64_t before = 1;  // the product of the sizes before the concatenation axis
            for (int axis = 0; parts[0].dims[axis] == gradient->dims[axis]; ++axis) {
                before *= gradient->dims[axis];
            }
            const bool contiguous = liesAs(gradient, false) && before == 1;
            for (std::size_t i = 0; i < parts.size(); ++i) {
                out[i] = Machine::gradientView(gradient, parts[i].dims, contiguous);
                if (!contiguous && !m.cuda) {
                    lay(*out[i], stridesOf(gradient));
                }
            }
            for (std::size_t i = 0; i < parts.size(); ++i) {
                if (self.next[i] && parts[i].dtype != gradient->dtype) {
                    out[i] = m.empty(parts[i].dims, parts[i].dtype);
                    out[i]->channelsLast = gradient->channelsLast;
                }
            }
        };
    }
    made->edge = node;
    return made;
}

namespace {

/// The node of an operator that broadcasts.
NodePtr pairNode(Machine& machine, const Tensor& a, const Tensor& b) {
    NodePtr node = machine.node({&a, &b});
    if (node) {
        node->inputs = {{a->dims, a->dtype}, {b->dims, b->dtype}};
    }
    return node;
}

/// x times `with`. Each is saved for the other's gradient.
Tensor product(Machine& machine, const Tensor& x, const Tensor& with, const Dims& output) {
    const NodePtr node = pairNode(machine, x, with);
    if (node && with->needsGradient()) {
        machine.save(node, x);
    }
    if (node && x->needsGradient()) {
        machine.save(node, with);
    }
    beginElementwise(machine, "mul", largerOf(x, with, output), 3);
    Tensor made = emptyPairwise(machine, x, with, output, x->dtype);
    if (node) {
        node->apply = productBackward(x, with);
    }
    made->edge = node;
    return made;
}

Tensor difference(Machine& machine, const Tensor& x, const Tensor& with, const Dims& output) {
    const NodePtr node = pairNode(machine, x, with);
    beginElementwise(machine, "sub", largerOf(x, with, output), 3);
    Tensor made = emptyPairwise(machine, x, with, output, x->dtype);
    if (node) {
        node->apply = [](Machine& m, Node& self, Tensor& gradient, Gradients& out) {
            out[0] = self.next[0] ? gradient : nullptr;
            if (self.next[1]) {
                beginElementwise(m, "sub backward", gradient, 2);
                out[1] = m.like(gradient);
            }
        };
    }
    made->edge = node;
    return made;
}

}  // namespace

std::function<void(Machine&, Node&, Tensor&, Gradients&)> productBackward(const Tensor& x,
                                                                          const Tensor& with) {
    return [factors = std::array{outlineOf(with), outlineOf(x)}](Machine& m, Node& self, Tensor& gradient,
                                                                 Gradients& out) {
        for (const std::size_t i : {1U, 0U}) {
            if (self.next[i]) {
                beginElementwise(m, "mul backward", gradient, 3);
                out[i] = emptyPairwise(m, gradient, factors[i], gradient->dims, gradient->dtype);
            }
        }
    };
}

Tensor sumTo(Machine& machine, const Tensor& gradient, const Dims& dims, std::optional<DType> type) {
    beginElementwise(machine, "sum", gradient, 1);
    Tensor made = machine.empty(dims, type.value_or(gradient->dtype));
    if (dims.elements() == 1) {
        threadsSum(machine, gradient->elements());
    }
    if (machine.ops.shareSums != nullptr) {
        Axes summed;
        const int more = gradient->dims.rank - dims.rank;
        for (int axis = 0; axis < gradient->dims.rank; ++axis) {
            summed[static_cast<std::size_t>(axis)] =
                axis < more || (dims[axis - more] == 1 && gradient->dims[axis] != 1);
        }
        machine.ops.shareSums(machine, gradient, summed, {});
    }
    return made;
}

Tensor merge(Machine& machine, stack::Merge::Kind kind, const Tensor& x, const std::vector<Tensor>& with,
             const Dims& output) {
    switch (kind) {
        case stack::Merge::Kind::Sub:
            return difference(machine, x, with.at(0), output);
        case stack::Merge::Kind::Mul:
            return product(machine, x, with.at(0), output);
        case stack::Merge::Kind::Div:
            beginElementwise(machine, "div", largerOf(x, with.at(0), output), 3);
            return quotient(machine, x, with.at(0), output);
        case stack::Merge::Kind::Concat:
            return concat(machine, x, with, output);
        case stack::Merge::Kind::Matmul:
            return matmul(machine, x, with.at(0), output);
        default:
            break;
    }
    const NodePtr node = sumNode(machine, x, with.at(0));
    if (node) {
        node->inputs = {{x->dims, x->dtype}, {with.at(0)->dims, with.at(0)->dtype}};
    }
    beginElementwise(machine, "add", largerOf(x, with.at(0), output), 3);
    Tensor made = emptyPairwise(machine, x, with.at(0), output, x->dtype);
    made->edge = node;
    return made;
}

Tensor clone(Machine& machine, const Tensor& x) {
    const NodePtr node = machine.node({&x});
    machine.op("clone", "copy", 2 * static_cast<double>(x->bytes()));
    Tensor made = machine.like(x);
    if (node) {
        node->apply = [](Machine&, Node&, Tensor& gradient, Gradients& out) { out[0] = gradient; };
    }
    made->edge = node;
    return made;
}

/// 1.13 always sums into a new tensor; from 2.0 on the second is added to the first if nothing else
/// references the first (input_buffer.cpp). `gradient` lives until its sender is done.
void accumulate(Machine& machine, Tensor& buffer, Tensor&& gradient) {
    if (!buffer) {
        buffer = std::move(gradient);
        return;
    }
    beginElementwise(machine, "sum of gradients", gradient, 3);
    if (!ownsItsStorage(buffer) || machine.torch < memory::TorchVersion{2, 0}) {
        buffer = machine.like(buffer);
    }
}

void arrive(Machine& machine, Tensor& held, Tensor&& gradient) {
    if (!gradient) {
        return;
    }
    if (!held) {
        held = std::move(gradient);
        return;
    }
    beginElementwise(machine, "sum of gradients", gradient, 3);
    if (!ownsItsStorage(held)) {
        held = machine.like(held);  // a sum has the axis order of its first term
    }
}

Tensor generatorStateCpu(Machine& machine) {
    constexpr Bytes kState = 5056;  // size of at::CPUGeneratorImpl's state
    machine.label("generator state");
    const auto made = std::make_shared<TensorImpl>();
    made->storage = machine.allocate(kState);
    machine.retag(made->storage, Category::Activations);
    return made;
}

}  // namespace highwater::predict::ghost
