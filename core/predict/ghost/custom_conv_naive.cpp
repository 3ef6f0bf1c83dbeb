#include "core/predict/ghost/cuda_ops.h"
#include "core/predict/ghost/custom_conv.h"

/// The naive custom_conv: pad, unfold, multiply, sum, add the bias (BinaryOps, ReduceOps, UnfoldBackward of
/// ATen).
namespace highwater::predict::ghost {

namespace {

/// The gradient of windows along one axis, with respect to the tensor that they are views of.
struct Unfold {
    std::int64_t size = 1;    ///< size of a window
    Dims dims;                ///< sizes of the unfolded tensor
    std::int64_t length = 1;  ///< length of its axis
};

Tensor asType(Machine& machine, const Tensor& x, DType type) {
    return x ? cast(machine, x, type) : x;
}

/// sums + bias. The bias's gradient is the sum over all axes except the channels, as a view.
Tensor withBias(Machine& machine, const Tensor& sums, const Tensor& bias) {
    const NodePtr shaped = machine.node({&bias});
    if (shaped) {
        shaped->apply = [](Machine&, Node&, Tensor& gradient, Gradients& out) {
            out[0] = Machine::gradientView(gradient, gradient->dims, gradient->contiguous);
        };
    }
    const Tensor view = Machine::view(bias, bias->dims, true);
    view->edge = shaped;
    const NodePtr node = machine.node({&sums, &view});
    machine.op("add", "elementwise", 2 * static_cast<double>(sums->bytes()));
    Tensor made = machine.like(sums);
    if (node) {
        node->apply = [bias = bias->dims, type = bias->dtype](Machine& m, Node&, Tensor& gradient,
                                                              Gradients& out) {
            m.op("add backward", "elementwise", static_cast<double>(gradient->bytes()));
            out[0] = gradient;
            if (gradient->elements() == bias.elements()) {
                out[1] = Machine::gradientView(gradient, bias, gradient->contiguous);
                return;
            }
            out[1] = m.empty(bias, type);
            if (bias.elements() == 1) {
                threadsSum(m, gradient->elements());
            }
        };
    }
    made->edge = node;
    return made;
}

}  // namespace

Tensor naiveCustomConv(Machine& machine, const stack::CustomConv& op, const LayerState& state,
                       const Tensor& x, const Dims& output) {
    const int dims = x->dims.rank - 2;
    const CustomConvWindow window = windowOf(op, dims);
    Tensor windows = machine.ops.conv(machine, x, state.value(0), Tensor(), {});
    if (window.borders.before != Sizes3{0, 0, 0} || window.borders.after != Sizes3{0, 0, 0}) {
        windows = machine.ops.pad(machine, windows, stack::PaddingMode::Zeros, window.borders);
    }
    Dims unfolded = windows->dims;
    std::int64_t elements = unfolded.elements();
    for (int axis = 2; axis < unfolded.rank; ++axis) {
        const Unfold unfold{window.kernel[axis], windows->dims, unfolded[axis]};
        elements = elements / unfold.length * (unfold.length - unfold.size + 1) * unfold.size;
        const NodePtr node = machine.node({&windows});
        if (node) {
            node->apply = [unfold, type = windows->dtype](Machine& m, Node&, Tensor& gradient,
                                                          Gradients& out) {
                WalkOp& made = m.op("unfold backward", "copy", static_cast<double>(gradient->bytes()));
                out[0] = m.empty(unfold.dims, type);
                made.bytesMoved += static_cast<double>(out[0]->bytes());
                if (m.cuda && unfold.size == 1) {  // newer releases copy if windows do not overlap
                    return;
                }
                const StoragePtr places = m.allocate(8 * unfold.length);
                if (unfold.size == 1) {
                    m.allocate(8);
                }
            };
        }
        windows = Machine::view(windows, {elements}, false);
        windows->edge = node;
    }
    const DType type = windows->dtype;
    const Tensor kernel = asType(machine, state.kernel, type);
    const std::int64_t each = op.outChannels / op.transformChannels;
    const NodePtr multiplied = machine.node({&windows});
    WalkOp& multiply = machine.op("multiply", "elementwise", static_cast<double>(elements * sizeOf(type)));
    Tensor products = machine.empty({elements * each}, type);
    multiply.bytesMoved += static_cast<double>(products->bytes());
    if (multiplied) {
        multiplied->apply = [elements, each, type](Machine& m, Node&, Tensor&, Gradients& out) {
            WalkOp& made = m.op("multiply backward", "elementwise", 0);
            out[0] = m.empty({elements * each}, type);
            made.bytesMoved = 2.0 * static_cast<double>(out[0]->bytes());
            if (each > 1) {
                out[0] = m.empty({elements}, type);
            }
        };
    }
    machine.save(multiplied, kernel);
    products->edge = multiplied;

    const NodePtr summed = machine.node({&products});
    machine.op("sum", "elementwise", static_cast<double>(products->bytes()));
    Tensor sums = machine.empty(output, type);
    if (summed) {
        summed->apply = [](Machine&, Node&, Tensor& gradient, Gradients& out) {
            out[0] = Machine::view(gradient, gradient->dims, false);
        };
    }
    sums->edge = summed;
    products.reset();
    Tensor flat = Machine::view(sums, output, true);
    flat->base = sums;
    flat->edge = viewNode(machine, sums, output, false);
    return op.bias ? withBias(machine, flat, asType(machine, state.value(1), type)) : flat;
}

}  // namespace highwater::predict::ghost
