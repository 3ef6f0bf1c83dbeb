#include "core/predict/cuda_ops.h"

/// Losses of a GPU: as the CPU's, in fp32 under autocast.
namespace highwater::predict::ghost {

namespace {

/// What an operator that reads x in its own type and computes in fp32 sees: no memory of its own, and a
/// gradient that comes back in x's type.
Tensor readAsFloat(Machine& machine, const Tensor& x) {
    Tensor made = Machine::view(x, x->dims, x->contiguous);
    made->dtype = DType::Float32;
    const NodePtr node = machine.node({&x});
    if (node)
        node->apply = [dims = x->dims, type = x->dtype](Machine& m, Node&, Tensor&, Gradients& out) {
            out[0] = m.empty(dims, type);
        };
    made->edge = node;
    return made;
}

Tensor meanOf(Machine& machine, const Tensor& x) {
    machine.op("mean", "elementwise", static_cast<double>(x->bytes()));
    const NodePtr node = machine.node({&x});
    Tensor made = machine.empty({}, x->dtype);
    if (node)
        node->apply = [dims = x->dims, type = x->dtype](Machine& m, Node&, Tensor&, Gradients& out) {
            out[0] = m.empty(dims, type);
            m.op("mean backward", "elementwise", static_cast<double>(out[0]->bytes()));
        };
    made->edge = node;
    return made;
}

}  // namespace

Tensor lossCuda(Machine& machine, stack::Loss kind, const Tensor& output, const Tensor& target) {
    Tensor value;
    if (!isLow(output->dtype))
        value = loss(machine, kind, output, target);
    else if (kind == stack::Loss::Mean)
        value = meanOf(machine, output);
    else if (kind == stack::Loss::Mse)
        value = loss(machine, kind, cast(machine, output, DType::Float32), target);
    else
        value = loss(machine, kind, readAsFloat(machine, output), target);
    if (machine.target.settings.precision != stack::Precision::Fp16)
        return value;
    startScaler(machine);
    return weigh(machine, value);
}

}  // namespace highwater::predict::ghost
