#include "core/predict/ghost/ops.h"

/// Activations, dropout, merges and gradient sums on the CPU.
namespace highwater::predict::ghost {

namespace {

using ActivationKind = stack::Activation::Kind;

std::string_view labelOf(ActivationKind kind) {
    switch (kind) {
        case ActivationKind::Relu:
            return "relu";
        case ActivationKind::LeakyRelu:
            return "leaky_relu";
        case ActivationKind::Elu:
            return "elu";
        case ActivationKind::Silu:
            return "silu";
        case ActivationKind::Gelu:
            break;
    }
    return "gelu";
}

/// Writes over x; from here on x's gradient goes to the new node.
Tensor inPlace(Machine& machine, ActivationKind kind, const Tensor& x, const NodePtr& node) {
    if (kind == ActivationKind::Silu && node) {
        machine.save(node, machine.like(x));
    }
    if (node && x->base) {
        rewriteView(machine, x, node);
    } else if (node) {
        x->edge = node;
    }
    if (kind != ActivationKind::Silu) {
        machine.save(node, x);
    }
    return x;
}

}  // namespace

void rewriteView(Machine& machine, const Tensor& view, const NodePtr& node) {
    const Tensor& base = view->base;
    node->apply = [inner = std::move(node->apply), dims = base->dims](Machine& m, Node& self, Tensor&,
                                                                      Gradients& out) {
        Tensor result = m.empty(dims);
        Tensor part = m.empty(dims);
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
    strided->apply = [dims = base->dims](Machine& m, Node&, Tensor&, Gradients& out) {
        out[0] = Machine::gradientView(m.empty(dims), dims, true);
    };
    view->edge = strided;
}

Tensor activation(Machine& machine, const stack::Activation& activation, const Tensor& x) {
    const ActivationKind kind = activation.kind;
    const NodePtr node = machine.node({&x});
    beginElementwise(machine, labelOf(kind), x, 2);
    if (node) {
        node->apply = [dims = x->dims, kind](Machine& m, Node&, Tensor& gradient, Gradients& out) {
            beginElementwise(m, labelOf(kind), gradient, 3);
            const StoragePtr first = kind == ActivationKind::Gelu && !gradient->contiguous
                                         ? m.allocate(gradient->bytes())
                                         : nullptr;
            out[0] = m.empty(dims);
        };
    }
    if (activation.inplace && kind != ActivationKind::Gelu) {
        return inPlace(machine, kind, x, node);
    }
    if (kind != ActivationKind::Relu) {
        machine.save(node, x);
    }
    Tensor made = machine.like(x);
    if (kind == ActivationKind::Relu) {
        machine.save(node, made);
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
    const NodePtr node = machine.node({&x});
    machine.save(node, noise);
    Tensor made = machine.like(x);
    if (node) {
        node->apply = [dims = x->dims](Machine& m, Node&, Tensor& gradient, Gradients& out) {
            beginElementwise(m, "dropout backward", gradient, 3);
            out[0] = m.empty(dims);
        };
    }
    made->edge = node;
    return made;
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

Tensor merge(Machine& machine, stack::Merge::Kind kind, const Tensor& x, const Tensor& with) {
    if (kind == stack::Merge::Kind::Add) {
        const NodePtr node = sumNode(machine, x, with);
        beginElementwise(machine, "add", x, 3);
        Tensor made = machine.like(x);
        made->edge = node;
        return made;
    }
    const NodePtr node = machine.node({&x, &with});
    Dims dims = x->dims;
    dims[1] += with->dims[1];
    Tensor made = nullptr;
    machine.op("concat", "copy", 2 * static_cast<double>(x->bytes() + with->bytes()));
    made = machine.empty(dims, x->dtype);
    if (node) {
        node->apply = [a = x->dims, b = with->dims](Machine&, Node&, Tensor& gradient, Gradients& out) {
            const bool contiguous = gradient->contiguous && a[0] == 1;
            out[0] = Machine::gradientView(gradient, a, contiguous);
            out[1] = Machine::gradientView(gradient, b, contiguous);
        };
    }
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

/// 1.13 always sums into a new tensor. `gradient` lives on until its sender is done.
void accumulate(Machine& machine, Tensor& buffer, Tensor&& gradient) {
    if (!buffer) {
        buffer = std::move(gradient);
        return;
    }
    beginElementwise(machine, "sum of gradients", gradient, 3);
    buffer = machine.like(gradient);
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
    const bool owned = held.use_count() == 1 && held->storage.use_count() == 1 && held->contiguous;
    if (!owned) {
        held = machine.like(gradient);
    }
}

Tensor generatorStateCpu(Machine& machine) {
    constexpr Bytes kState = 5056;  // at::CPUGeneratorImpl's state
    machine.label("generator state");
    const auto made = std::make_shared<TensorImpl>();
    made->storage = machine.allocate(kState);
    machine.retag(made->storage, Category::Activations);
    return made;
}

}  // namespace highwater::predict::ghost
