#include <algorithm>

#include "core/predict/ghost/cuda_ops.h"
#include "core/predict/ghost/custom_conv.h"
#include "core/predict/ghost/strides.h"
#include "core/step/fused_conv.h"

/// The fused custom_conv (core/engine/layers/custom_conv_fused*.cpp). It saves its input and its weights for
/// backward.
namespace highwater::predict::ghost {

using step::backwardTiles;
using step::cudaParts;
using step::forwardTiles;
using step::FusedBackwardTiles;
using step::FusedConv;
using step::fusedConvOf;
using step::FusedForwardTiles;

namespace {

/// The scratch memory per thread while the CPU's kernels run; a GPU's kernels have none.
StoragePtr scratch(Machine& machine, std::int64_t pieces, std::int64_t each) {
    if (machine.cuda) {
        return nullptr;
    }
    return machine.allocate(4 * each * std::min<std::int64_t>(machine.threads, pieces));
}

double transformed(const FusedConv& conv) {
    return static_cast<double>(conv.batch * conv.places()) * static_cast<double>(conv.groups * conv.in);
}

double windows(const FusedConv& conv) {
    return static_cast<double>(conv.batch * conv.outputPlaces()) *
           static_cast<double>(conv.out() * conv.taps());
}

/// These are Highwater's own kernels. They belong to no family whose speed was measured with LibTorch, and do
/// not use tensor cores.
WalkOp& beginFused(Machine& machine, std::string_view label, double multiplyAdds) {
    return machine.op(label, machine.cuda ? "depthwise" : "conv_fused", 0, 2 * multiplyAdds);
}

void fusedBackward(Machine& machine, const FusedConv& conv, const Node& self, const Tensor& x,
                   const Dims& weight, const Tensor& gradient, Gradients& out) {
    WalkOp& op = beginFused(machine, "fused backward", 2 * transformed(conv) + windows(conv));
    op.bytesMoved = static_cast<double>(gradient->bytes() + 2 * x->bytes());
    const StoragePtr copy = temporaryCopy(machine, gradient), input = temporaryCopy(machine, x);
    if (self.next[0]) {
        out[0] = machine.empty(x->dims, x->dtype);
    }
    out[1] = machine.empty(weight, x->dtype);
    if (self.next[2]) {
        out[2] = machine.empty({conv.out()}, x->dtype);
    }
    const FusedBackwardTiles tiles = backwardTiles(conv);
    const std::int64_t parts = machine.cuda ? cudaParts(conv) : tiles.parts;
    const StoragePtr partials = machine.allocate(4 * parts * conv.groups * conv.in);
    const StoragePtr own = scratch(machine, tiles.parts, tiles.scratch);
}

}  // namespace

Tensor fusedCustomConv(Machine& machine, const stack::CustomConv& op, const LayerState& state,
                       const Tensor& x, const Dims& output) {
    const DType type = isLow(autocastType(machine)) ? autocastType(machine) : x->dtype;
    const Tensor bias = castParameter(machine, state.value(1)), fixed = cast(machine, state.kernel, type),
                 weight = castParameter(machine, state.value(0)), input = cast(machine, x, type);
    const FusedConv conv =
        fusedConvOf(op, {input->dims.size.begin(), input->dims.size.begin() + input->dims.rank});
    const NodePtr node = machine.node({&input, &weight, &bias});
    WalkOp& made = beginFused(machine, "fused", transformed(conv) + windows(conv));
    Tensor y;
    {
        const StoragePtr copy = temporaryCopy(machine, input);
        y = machine.empty(output, type);
        const FusedForwardTiles tiles = forwardTiles(conv);
        const StoragePtr own = scratch(machine, tiles.pieces, tiles.scratch);
    }
    made.bytesMoved = static_cast<double>(input->bytes() + y->bytes());
    machine.save(node, input);
    machine.save(node, weight);
    machine.save(node, fixed);
    if (node) {
        node->apply = [conv, shape = outlineOf(input), dims = weight->dims](
                          Machine& m, Node& self, Tensor& gradient, Gradients& out) {
            fusedBackward(m, conv, self, shape, dims, gradient, out);
        };
    }
    y->edge = node;
    return y;
}

}  // namespace highwater::predict::ghost
