#include "core/predict/ghost/cuda_ops.h"
#include "core/predict/ghost/strides.h"

/// Autocast (aten/src/ATen/autocast_mode.cpp).
namespace highwater::predict::ghost {

DType autocastType(const Machine& machine) {
    const stack::Precision precision = machine.target.settings.precision;
    return stack::usesAutocast(precision) ? typeOf(precision) : DType::Float32;
}

bool isLow(DType type) {
    return type == DType::Float16 || type == DType::BFloat16;
}

Tensor cast(Machine& machine, const Tensor& x, DType type) {
    if (!x || x->dtype == type) {
        return x;
    }
    const NodePtr node = machine.node({&x});
    WalkOp& op = machine.op("cast", "copy", static_cast<double>(x->bytes()));
    Tensor made = emptyLike(machine, x, type);
    op.bytesMoved += static_cast<double>(made->bytes());
    if (node) {
        node->apply = [from = x->dtype](Machine& m, Node&, Tensor& gradient, Gradients& out) {
            WalkOp& back = m.op("cast backward", "copy", static_cast<double>(gradient->bytes()));
            out[0] = emptyLike(m, gradient, from);
            back.bytesMoved += static_cast<double>(out[0]->bytes());
        };
    }
    made->edge = node;
    return made;
}

Tensor castParameter(Machine& machine, const Tensor& parameter) {
    const DType type = autocastType(machine);
    if (!parameter || !isLow(type)) {
        return parameter;
    }
    // Autocast keeps the casts of learned tensors only, not of what is computed from them.
    if (!parameter->needsGradient() || parameter->edge->sequence != Node::kAccumulator) {
        return cast(machine, parameter, type);
    }
    Tensor& kept = cudaState(machine).casts[parameter.get()];
    if (!kept) {
        kept = cast(machine, parameter, type);
    }
    return kept;
}

}  // namespace highwater::predict::ghost
