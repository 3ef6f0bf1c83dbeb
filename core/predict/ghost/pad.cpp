#include "core/predict/ghost/ops.h"
#include "core/predict/ghost/strides.h"

/// Padding other than a convolution's own zeros (PadNd.cpp, ReflectionPad.cpp, ReplicationPadding.cpp).
namespace highwater::predict::ghost {

namespace {

/// A copy into a part of a tensor (autograd's CopySlices). The gradient of the previous content is a copy
/// with that part set to zero; the gradient of the copied tensor is a clone of the part.
struct PartCopy {
    Dims whole, part;
    bool overwrites = false;  ///< the previous content is part of a graph
};

NodePtr copyNode(Machine& machine, const Tensor& before, const Tensor& source, const PartCopy& copy) {
    NodePtr node = machine.node({&before, &source});
    if (node) {
        node->apply = [copy, type = source->dtype](Machine& m, Node&, Tensor&, Gradients& out) {
            m.op("pad backward", "copy", 4.0 * static_cast<double>(copy.whole.elements()));
            Tensor result = m.empty(copy.whole, type);
            Tensor part = m.empty(copy.part, type);
            if (copy.overwrites) {
                const Tensor zeros = m.empty(copy.part, type);
                out[0] = std::move(result);
            }
            out[1] = std::move(part);
        };
    }
    return node;
}

/// Reads a part of a tensor; its gradient has the whole tensor's size and is zero elsewhere.
Tensor slice(Machine& machine, const Tensor& of, const Dims& dims, std::string_view label = "pad backward") {
    Tensor made = Machine::view(of, dims, false);
    made->edge = partNode(machine, of, label);
    return made;
}

Dims padded(const Dims& dims, const Borders& borders) {
    Dims made = dims;
    made[1] += borders.channels;
    for (int axis = 2; axis < dims.rank; ++axis) {
        made[axis] += borders.before[static_cast<std::size_t>(axis - 2)] +
                      borders.after[static_cast<std::size_t>(axis - 2)];
    }
    return made;
}

/// Copies the input into the middle, then each border from the opposite side, last axis first.
Tensor circular(Machine& machine, const Tensor& x, const Borders& borders) {
    const Dims whole = padded(x->dims, borders);
    Tensor made = machine.empty(whole, x->dtype);
    Tensor source = x;
    for (int axis = 2; axis < whole.rank; ++axis) {
        source = slice(machine, source, x->dims);
    }
    made->edge = copyNode(machine, Tensor(), source, {whole, x->dims, false});
    for (int axis = whole.rank - 1; axis >= 2; --axis) {
        for (const Sizes3* side : {&borders.before, &borders.after}) {
            Dims part = whole;
            part[axis] = (*side)[static_cast<std::size_t>(axis - 2)];
            if (part[axis] <= 0) {
                continue;
            }
            const Tensor from = slice(machine, made, part);
            made->edge = copyNode(machine, made, from, {whole, part, true});
        }
    }
    return made;
}

}  // namespace

namespace {

/// Whether a part of a contiguous tensor is contiguous itself: the axes before the one that is cut have one
/// element each.
bool isContiguousPart(const Dims& whole, const Dims& part) {
    bool one = true, dense = true;
    for (int axis = 0; axis < whole.rank; ++axis) {
        dense = dense && (one || part[axis] == whole[axis]);
        one = one && part[axis] == 1;
    }
    return dense;
}

}  // namespace

Tensor crop(Machine& machine, const Tensor& x, const Dims& output) {
    Tensor made = x;
    for (int axis = 2; axis < output.rank; ++axis) {
        if (made->dims[axis] == output[axis]) {
            continue;
        }
        Dims part = made->dims;
        part[axis] = output[axis];
        const bool contiguous = made->contiguous && !made->channelsLast && isContiguousPart(made->dims, part);
        const Strides strides = stridesOf(made);  // a part has the strides of the whole
        made = slice(machine, made, part, "crop backward");
        made->contiguous = contiguous;
        if (!contiguous) {
            made->strides = strides;
        }
    }
    return made;
}

Tensor pad(Machine& machine, const Tensor& x, stack::PaddingMode mode, const Borders& borders) {
    WalkOp& op = machine.op("pad", "copy", static_cast<double>(x->bytes()));
    const Dims whole = padded(x->dims, borders);
    op.bytesMoved += 4 * static_cast<double>(whole.elements());
    if (mode == stack::PaddingMode::Circular) {
        return circular(machine, x, borders);
    }
    const NodePtr node = machine.node({&x});
    const bool keeps = mode != stack::PaddingMode::Zeros;
    if (keeps) {
        machine.save(node, x);
    }
    const bool reflects2d = mode == stack::PaddingMode::Reflect && whole.rank == 4;  // copies at once
    StoragePtr input = reflects2d ? temporaryCopy(machine, x) : nullptr;
    Tensor made = emptyAs(machine, whole, x->dtype, !keeps && x->channelsLast);
    if (keeps && !reflects2d) {
        input = temporaryCopy(machine, x);
    }
    if (node) {
        node->apply = [dims = x->dims, keeps](Machine& m, Node&, Tensor& gradient, Gradients& out) {
            m.op("pad backward", "copy", static_cast<double>(gradient->bytes()));
            // zeros: a clone of the part without padding
            out[0] =
                keeps ? m.empty(dims, gradient->dtype) : emptyOrdered(m, dims, gradient, gradient->dtype);
            const StoragePtr copy = keeps ? temporaryCopy(m, gradient) : nullptr;
        };
    }
    made->edge = node;
    return made;
}

}  // namespace highwater::predict::ghost
