#include "core/predict/cuda/ops.h"

/// Losses on a GPU: the same as on the CPU, but in fp32 under autocast.
namespace highwater::predict::ghost {

namespace {

/// The input of an operator that reads x in its own type but computes in fp32. It has no memory of its own;
/// its gradient has x's type.
Tensor readAsFloat(const Tensor& x) {
    Tensor made = Machine::view(x, x->dims, x->contiguous);
    made->dtype = DType::Float32;
    made->edge = x->edge;
    return made;
}

Tensor meanOf(Machine& machine, const Tensor& x) {
    machine.op("mean", "elementwise", static_cast<double>(x->bytes()));
    const NodePtr node = machine.node({&x});
    Tensor made = machine.empty({}, x->dtype);
    if (node) {
        node->apply = [dims = x->dims, type = x->dtype](Machine& m, Node&, Tensor&, Gradients& out) {
            out[0] = m.empty(dims, type);
            m.op("mean backward", "elementwise", static_cast<double>(out[0]->bytes()));
        };
    }
    made->edge = node;
    return made;
}

}  // namespace

Tensor widenCuda(Machine& machine, const Tensor& x) {
    return cast(machine, x, DType::Float32);
}

/// softmax reads fp16 directly (half_to_float); bf16 is cast before.
Tensor widenForSoftmaxCuda(Machine& machine, const Tensor& x) {
    return x->dtype == DType::Float16 ? readAsFloat(x) : widenCuda(machine, x);
}

Tensor lossCuda(Machine& machine, stack::Loss kind, const Tensor& output, const Tensor& target) {
    if (!isLow(output->dtype)) {
        return loss(machine, kind, output, target);
    }
    if (kind == stack::Loss::Mean) {
        return meanOf(machine, output);
    }
    // cross_entropy asks log_softmax for its input's type, which autocast respects.
    return loss(machine, kind, kind == stack::Loss::Mse ? widenCuda(machine, output) : output, target);
}

}  // namespace highwater::predict::ghost
