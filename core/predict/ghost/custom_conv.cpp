#include "core/predict/ghost/custom_conv.h"

#include "core/layers/axis_size.h"
#include "core/predict/ghost/cuda_ops.h"

namespace highwater::predict::ghost {

namespace {

using stack::CustomConv;

/// A convolution with stride 1 and the window's zero padding. If the padding is uneven, x is copied with one
/// more element after it.
Tensor convolve(Machine& machine, Tensor x, const Tensor& weight, const Tensor& bias,
                const CustomConvWindow& window, std::int64_t groups) {
    ConvArgs args;
    args.groups = groups;
    args.padding = window.borders.before;
    if (!window.uneven) {
        return machine.ops.conv(machine, x, weight, bias, args);
    }
    Borders over;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        over.after[axis] = window.borders.after[axis] - window.borders.before[axis];
    }
    x = machine.ops.pad(machine, x, stack::PaddingMode::Zeros, over);
    return machine.ops.conv(machine, x, weight, bias, args);
}

Tensor twoStep(Machine& machine, const CustomConv& op, const LayerState& state, const Tensor& x) {
    Tensor h = machine.ops.conv(machine, x, state.value(0), Tensor(), {});
    return convolve(machine, std::move(h), state.kernel, state.value(1), windowOf(op, x->dims.rank - 2),
                    op.transformChannels);
}

/// The composed kernel as a function of the weight: the weight's gradient is K's gradient times the fixed
/// kernel, summed.
NodePtr composedNode(Machine& machine, const Tensor& weight, const Tensor& kernel) {
    const NodePtr node = machine.node({&weight});
    if (!node) {
        return node;
    }
    node->apply = [dims = weight->dims, places = kernel->elements()](Machine& m, Node&, Tensor& gradient,
                                                                     Gradients& out) {
        WalkOp& op = m.op("compose backward", "elementwise", static_cast<double>(gradient->bytes()));
        op.bytesMoved += 8.0 * static_cast<double>(places);
        const Tensor products = m.empty({places});
        out[0] = m.empty(dims);
        if (dims.elements() == 1) {
            threadsSum(m, places);
        }
    };
    return node;
}

Tensor cached(Machine& machine, const CustomConv& op, const LayerState& state, const Tensor& x,
              ForwardMode mode) {
    const Tensor& weight = state.value(0);
    ComposedKernel& composed = *state.composed;
    const CustomConvWindow window = windowOf(op, x->dims.rank - 2);
    if (!composed.kernel || (mode != ForwardMode::Evaluate && composed.step != machine.step())) {
        composed.kernel.reset();
        Dims dims = window.kernel;
        dims[1] = weight->dims[1];
        machine.op("compose", "elementwise", 4.0 * static_cast<double>(dims.elements()));
        composed.kernel = machine.empty(dims, autocastType(machine));
        composed.kernel->channelsLast = x->channelsLast && !inBothLayouts(dims);
        machine.retag(composed.kernel->storage, Category::Parameters);
        composed.step = machine.step();
    }
    const Tensor kernel = Machine::detach(composed.kernel);
    kernel->edge = composedNode(machine, weight, composed.kernel);
    return convolve(machine, x, kernel, state.value(1), window, 1);
}

}  // namespace

CustomConvWindow windowOf(const CustomConv& op, int dims) {
    CustomConvWindow window;
    window.kernel = {op.outChannels, 1};
    window.kernel.rank = dims + 2;
    for (int axis = 0; axis < dims; ++axis) {
        const auto i = static_cast<std::size_t>(axis);
        const stack::AxisWindow along = stack::windowAlong(op.kernelSize, {1}, {1}, op.padding, i);
        window.kernel[axis + 2] = along.kernel;
        window.borders.before[i] = along.before;
        window.borders.after[i] = along.after;
        window.uneven = window.uneven || window.borders.after[i] != window.borders.before[i];
    }
    return window;
}

Tensor customConv(Machine& machine, const CustomConv& op, const LayerState& state, const Tensor& x,
                  const Dims& output, ForwardMode mode) {
    switch (op.implementation) {
        case CustomConv::Implementation::Naive:
            return naiveCustomConv(machine, op, state, x, output);
        case CustomConv::Implementation::Cached:
            return cached(machine, op, state, x, mode);
        case CustomConv::Implementation::Fused:
            return fusedCustomConv(machine, op, state, x, output);
        case CustomConv::Implementation::TwoStep:
            break;
    }
    return twoStep(machine, op, state, x);
}

}  // namespace highwater::predict::ghost
