#include <ATen/ATen.h>
#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>

#include <algorithm>

#include "core/engine/kernels/custom_conv_cpu.h"
#include "core/engine/layers/custom_conv_fused.h"

namespace highwater::engine {

namespace {

using step::FusedConv;

/// Temporary memory: `each` elements for each thread that works on the pieces.
at::Tensor scratchFor(const at::Tensor& like, std::int64_t pieces, std::int64_t each) {
    const std::int64_t threads = std::min<std::int64_t>(at::get_num_threads(), pieces);
    return at::empty({threads * each}, like.options().requires_grad(false));
}

template <class T>
T* pointer(const at::Tensor& tensor) {
    return tensor.defined() ? tensor.data_ptr<T>() : nullptr;
}

template <class T>
void forwardCpu(const FusedConv& conv, const FusedTensors& tensors, const at::Tensor& y) {
    const step::FusedForwardTiles tiles = step::forwardTiles(conv);
    const kernels::FusedForward<T> work{conv,
                                        tiles,
                                        pointer<T>(tensors.x),
                                        pointer<T>(tensors.weight),
                                        pointer<T>(tensors.fixed),
                                        pointer<T>(tensors.bias),
                                        pointer<T>(y)};
    const at::Tensor scratch = scratchFor(y, tiles.pieces, tiles.scratch);
    at::parallel_for(0, tiles.pieces, 1, [&](std::int64_t first, std::int64_t last) {
        kernels::fusedForward(work, first, last, pointer<T>(scratch) + at::get_thread_num() * tiles.scratch);
    });
}

template <class T>
void backwardCpu(const FusedConv& conv, const FusedTensors& inputs, const at::Tensor& gradient,
                 const FusedGradients& made) {
    const step::FusedBackwardTiles tiles = step::backwardTiles(conv);
    const at::Tensor partials = at::empty({tiles.parts * conv.groups * conv.in}, gradient.options());
    const at::Tensor scratch = scratchFor(gradient, tiles.parts, tiles.scratch);
    const kernels::FusedBackward<T> work{conv,
                                         tiles,
                                         pointer<T>(inputs.x),
                                         pointer<T>(inputs.weight),
                                         pointer<T>(inputs.fixed),
                                         pointer<T>(gradient),
                                         pointer<T>(made.input),
                                         pointer<T>(partials)};
    at::parallel_for(0, tiles.parts, 1, [&](std::int64_t first, std::int64_t last) {
        kernels::fusedBackward(work, first, last, pointer<T>(scratch) + at::get_thread_num() * tiles.scratch);
    });
    kernels::sumParts(work, pointer<T>(made.weight));
    if (made.bias.defined()) {
        at::parallel_for(0, conv.out(), 1, [&](std::int64_t first, std::int64_t last) {
            kernels::sumOutputs(conv, pointer<T>(gradient), first, last, pointer<T>(made.bias));
        });
    }
}

}  // namespace

at::Tensor fusedForward(const FusedConv& conv, const FusedTensors& tensors, const stack::Shape& output) {
    at::Tensor y = at::empty(output, tensors.x.options().requires_grad(false));
    if (y.is_cuda()) {
        fusedForwardCuda(conv, tensors, y);
        return y;
    }
    AT_DISPATCH_FLOATING_TYPES(y.scalar_type(), "custom_conv",
                               [&] { forwardCpu<scalar_t>(conv, tensors, y); });
    return y;
}

FusedGradients fusedBackward(const FusedConv& conv, const FusedTensors& inputs, const at::Tensor& gradient,
                             bool wantsInput, bool wantsBias) {
    FusedGradients made;
    if (wantsInput) {
        made.input = at::empty(inputs.x.sizes(), gradient.options());
    }
    made.weight = at::empty(inputs.weight.sizes(), gradient.options());
    if (wantsBias) {
        made.bias = at::empty({conv.out()}, gradient.options());
    }
    if (gradient.is_cuda()) {
        fusedBackwardCuda(conv, inputs, gradient, made);
        return made;
    }
    AT_DISPATCH_FLOATING_TYPES(gradient.scalar_type(), "custom_conv",
                               [&] { backwardCpu<scalar_t>(conv, inputs, gradient, made); });
    return made;
}

}  // namespace highwater::engine
