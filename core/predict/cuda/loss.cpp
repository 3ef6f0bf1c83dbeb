#include "core/predict/ghost/cuda_ops.h"

/// Losses on a GPU: the same as on the CPU, but in fp32 under autocast.
namespace highwater::predict::ghost {

namespace {

/// The input of an operator that reads x in its own type but computes in fp32. It has no separate memory; its
/// gradient has x's type.
Tensor readAsFloat(const Tensor& x) {
    Tensor made = Machine::view(x, x->dims, x->contiguous);
    made->dtype = DType::Float32;
    made->edge = x->edge;
    return made;
}

}  // namespace

Tensor widenCuda(Machine& machine, const Tensor& x) {
    return isLow(autocastType(machine)) ? cast(machine, x, DType::Float32) : x;
}

/// Under autocast softmax reads fp16 directly (half_to_float); bf16 is cast before.
Tensor widenForSoftmaxCuda(Machine& machine, const Tensor& x) {
    const bool reads = autocastType(machine) == DType::Float16 && x->dtype == DType::Float16;
    return reads ? readAsFloat(x) : widenCuda(machine, x);
}

/// mse_loss computes in fp32; the mean in its input's type, and cross_entropy requests its input's type from
/// log_softmax, which autocast respects.
Tensor lossCuda(Machine& machine, stack::Loss kind, const Tensor& output, const Tensor& target) {
    return loss(machine, kind, kind == stack::Loss::Mse ? widenCuda(machine, output) : output, target);
}

}  // namespace highwater::predict::ghost
