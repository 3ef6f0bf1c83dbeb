#include "core/predict/ghost/ops.h"
#include "core/predict/ghost/strides.h"

/// The layers of core/layers/layers.h, and matrix products (TensorShape.cpp, LinearAlgebra.cpp).
namespace highwater::predict::ghost {

namespace {

/// The gradient of a view that only changes the shape: a view if the strides allow it.
Tensor reshapedGradient(Machine& machine, const Tensor& gradient, const Dims& dims) {
    const auto strides = viewStrides(gradient->dims, stridesOf(gradient), dims);
    return strides ? stridedGradient(gradient, dims, *strides) : machine.empty(dims, gradient->dtype);
}

}  // namespace

NodePtr viewNode(Machine& machine, const Tensor& x, const Dims& dims, bool copies) {
    NodePtr node = machine.node({&x});
    if (node) {
        node->apply = [dims, copies](Machine& m, Node&, Tensor& gradient, Gradients& out) {
            const bool known = gradient->contiguous || gradient->strides;
            out[0] = known    ? reshapedGradient(m, gradient, dims)
                     : copies ? m.empty(dims)
                              : Machine::gradientView(gradient, dims, false);
        };
    }
    return node;
}

namespace {

NodePtr reshapeNode(Machine& machine, const Tensor& x) {
    NodePtr node = machine.node({&x});
    if (node) {
        node->apply = [dims = x->dims](Machine& m, Node&, Tensor& gradient, Gradients& out) {
            out[0] = reshapedGradient(m, gradient, dims);
        };
    }
    return node;
}

const Tensor& baseOf(const Tensor& x) {
    return x->base ? x->base : x;
}

}  // namespace

Tensor copyOf(Machine& machine, const Tensor& x, std::string_view label) {
    const NodePtr node = machine.node({&x});
    machine.op(label, "copy", 2 * static_cast<double>(x->bytes()));
    Tensor made = machine.empty(x->dims, x->dtype);
    if (node) {
        node->apply = [](Machine&, Node&, Tensor& gradient, Gradients& out) { out[0] = gradient; };
    }
    made->edge = node;
    return made;
}

Tensor reshape(Machine& machine, const Tensor& x, const Dims& output) {
    if (const auto strides = viewStrides(x->dims, stridesOf(x), output)) {
        Tensor made = stridedView(x, output, *strides);
        made->edge = reshapeNode(machine, x);
        made->base = baseOf(x);
        return made;
    }
    const Tensor dense = copyOf(machine, x, "reshape");
    Tensor made = Machine::view(dense, output, true);
    made->edge = reshapeNode(machine, dense);
    return made;
}

Tensor permute(Machine& machine, const stack::Sizes& axes, const Tensor& x) {
    Dims dims = x->dims;
    const Strides from = stridesOf(x);
    Strides strides{};
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const auto axis = static_cast<std::size_t>(axes[i]);
        dims.size[i] = x->dims.size[axis];
        strides[i] = from[axis];
    }
    const NodePtr node = machine.node({&x});
    Tensor made = stridedView(x, dims, strides);
    if (node) {
        node->apply = [axes, before = x->dims](Machine&, Node&, Tensor& gradient, Gradients& out) {
            const Strides its = stridesOf(gradient);
            Strides back{};
            for (std::size_t i = 0; i < axes.size(); ++i) {
                back[static_cast<std::size_t>(axes[i])] = its[i];
            }
            out[0] = stridedGradient(gradient, before, back);
        };
    }
    made->edge = node;
    made->base = baseOf(x);
    return made;
}

NodePtr partNode(Machine& machine, const Tensor& x, std::string_view label) {
    NodePtr node = machine.node({&x});
    if (node) {
        node->apply = [whole = x->dims, type = x->dtype, label](Machine& m, Node&, Tensor& gradient,
                                                                Gradients& out) {
            const auto bytes = static_cast<double>(gradient->bytes());
            m.op(label, "copy", 2 * bytes + static_cast<double>(whole.elements() * sizeOf(type)));
            out[0] = m.empty(whole, type);
        };
    }
    return node;
}

namespace {

Tensor partOf(Machine& machine, const Tensor& x, const Dims& dims, const Strides& strides,
              std::string_view label) {
    Tensor made = stridedView(x, dims, strides);
    made->edge = partNode(machine, x, label);
    made->base = baseOf(x);
    return made;
}

}  // namespace

Tensor slice(Machine& machine, const stack::Slice& slice, const Tensor& x) {
    const int dim = slice.dim < 0 ? slice.dim + x->dims.rank : slice.dim;
    Dims dims = x->dims;
    dims[dim] = (slice.end - slice.start + slice.step - 1) / slice.step;
    Strides strides = stridesOf(x);
    strides[static_cast<std::size_t>(dim)] *= slice.step;
    return partOf(machine, x, dims, strides, "slice backward");
}

namespace {

/// Along one axis: on a GPU a kernel reads a contiguous input; on the CPU the two parts are concatenated.
Tensor rolled(Machine& machine, const Tensor& x, std::int64_t shift, int dim) {
    machine.op("roll", "copy", 2 * static_cast<double>(x->bytes()));
    if (machine.cuda) {
        const StoragePtr input = temporaryCopy(machine, x);
        return machine.empty(x->dims, x->dtype);
    }
    const std::int64_t size = x->dims[dim], first = ((shift % size) + size) % size;
    bool channelsLast = true;
    for (const std::int64_t part : {first, size - first}) {
        Dims dims = x->dims;
        dims[dim] = part;
        channelsLast = channelsLast && part > 0 && seemsChannelsLast(stridedView(x, dims, stridesOf(x)));
    }
    return emptyAs(machine, x->dims, x->dtype, channelsLast);
}

/// One axis after another. Each result stays until the last is computed.
Tensor rolledBy(Machine& machine, const stack::Roll& roll, bool back, const Tensor& x) {
    std::vector<Tensor> made;
    for (std::size_t i = 0; i < roll.dims.size(); ++i) {
        const std::size_t at = back ? roll.dims.size() - 1 - i : i;
        made.push_back(rolled(machine, made.empty() ? x : made.back(),
                              back ? -roll.shifts[at] : roll.shifts[at], static_cast<int>(roll.dims[at])));
    }
    Tensor last = made.back();
    while (!made.empty()) {
        made.pop_back();
    }
    return last;
}

}  // namespace

Tensor roll(Machine& machine, const stack::Roll& roll, const Tensor& x) {
    const NodePtr node = machine.node({&x});
    Tensor made = rolledBy(machine, roll, false, x);
    if (node) {
        node->apply = [roll](Machine& m, Node&, Tensor& gradient, Gradients& out) {
            out[0] = rolledBy(m, roll, true, gradient);
        };
    }
    made->edge = node;
    return made;
}

Tensor select(Machine& machine, const stack::Select& select, const Tensor& x) {
    const int dim = select.dim < 0 ? select.dim + x->dims.rank : select.dim;
    const Strides from = stridesOf(x);
    Dims dims;
    Strides strides{};
    for (int axis = 0; axis < x->dims.rank; ++axis) {
        if (axis != dim) {
            strides[static_cast<std::size_t>(dims.rank)] = from[static_cast<std::size_t>(axis)];
            dims[dims.rank++] = x->dims[axis];
        }
    }
    return partOf(machine, x, dims, strides, "select backward");
}

Tensor copied(Machine& machine, const stack::Copy& copy, const Tensor& x) {
    const bool always = copy.kind == stack::Copy::Kind::Clone;
    return !always && liesAs(x, false) ? x : copyOf(machine, x, always ? "clone" : "contiguous");
}

Tensor stochasticDepth(Machine& machine, const stack::StochasticDepth& depth, const Tensor& x,
                       ForwardMode mode) {
    if (depth.p == 0 || mode == ForwardMode::Evaluate) {
        return x;
    }
    beginElementwise(machine, "stochastic_depth", x, 2);
    Dims dims = x->dims;
    std::fill(dims.size.begin(), dims.size.end(), 1);
    dims[0] = depth.mode == stack::StochasticDepth::Mode::Row ? x->dims[0] : 1;
    const Tensor noise = machine.empty(dims, x->dtype);
    if (depth.scaleByKeep && depth.p < 1) {
        scalar(machine);
    }
    return timesNoise(machine, "stochastic_depth backward", x, noise, 2);
}

namespace {

/// The matrices of a batch, as a product reads them.
struct Matrices {
    Dims dims;
    Strides strides{};
    DType dtype = DType::Float32;
};

Matrices matricesOf(const Tensor& tensor) {
    return {tensor->dims, stridesOf(tensor), tensor->dtype};
}

/// Whether BLAS can read a matrix, or its transpose, with its strides.
bool isReadable(const Matrices& of) {
    const auto fits = [&of](std::size_t inner, std::size_t outer) {
        return of.strides[inner] == 1 && of.strides[outer] >= of.dims.size[inner];
    };
    return fits(2, 1) || fits(1, 2);
}

/// On the CPU matrices are multiplied one after another, and those with strides that BLAS cannot read are
/// copied first; a small product is computed without BLAS.
void copyMatrices(Machine& machine, const Matrices& left, const Matrices& right, double multiplications) {
    constexpr double kFew = 400;
    if (machine.cuda || multiplications < kFew) {
        return;
    }
    for (std::int64_t i = 0; i < left.dims[0]; ++i) {
        std::vector<StoragePtr> copies;
        for (const Matrices* each : {&left, &right}) {
            if (!isReadable(*each)) {
                copies.push_back(machine.allocate(each->dims[1] * each->dims[2] * sizeOf(each->dtype)));
            }
        }
        if (copies.empty()) {
            return;
        }
    }
}

}  // namespace

/// Both are saved for each other's gradient. Backward begins with the right one's.
Tensor batchProduct(Machine& machine, const Tensor& x, const Tensor& with) {
    const NodePtr node = machine.node({&x, &with});
    const Dims output{x->dims[0], x->dims[1], with->dims[2]};
    const auto begin = [](Machine& m, std::string_view label, const Dims& a, const Dims& b) {
        m.op(label, "conv_1x1", 4 * static_cast<double>(a.elements() + b.elements()),
             2 * static_cast<double>(a.elements()) * static_cast<double>(b[2]));
    };
    begin(machine, "matmul", x->dims, with->dims);
    if (node && with->needsGradient()) {
        machine.save(node, x);
    }
    if (node && x->needsGradient()) {
        machine.save(node, with);
    }
    const auto make = [](Machine& m, const Dims& dims, DType type) {
        Tensor made = m.empty(dims, type);
        if (m.ops.multiplied != nullptr) {
            m.ops.multiplied(m, false);
        }
        return made;
    };
    Tensor made = make(machine, output, x->dtype);
    const Matrices left = matricesOf(x), right = matricesOf(with);
    const double multiplications = static_cast<double>(left.dims[1] * left.dims[2] * right.dims[2]);
    copyMatrices(machine, left, right, multiplications);
    if (node) {
        node->apply = [=](Machine& m, Node& self, Tensor& gradient, Gradients& out) {
            for (const std::size_t i : {1U, 0U}) {
                if (self.next[i]) {
                    begin(m, "matmul backward", left.dims, right.dims);
                    out[i] = make(m, i == 0 ? left.dims : right.dims, gradient->dtype);
                    copyMatrices(m, matricesOf(gradient), i == 0 ? right : left, multiplications);
                }
            }
        };
    }
    made->edge = node;
    return made;
}

Tensor matmul(Machine& machine, const Tensor& x, const Tensor& with, const Dims& output) {
    const int last = x->dims.rank - 1;
    const auto batch = [last](const Tensor& of) {
        return Dims{of->dims.elements() / (of->dims[last - 1] * of->dims[last]), of->dims[last - 1],
                    of->dims[last]};
    };
    const Tensor left = reshape(machine, x, batch(x)), right = reshape(machine, with, batch(with));
    const Tensor product = batchProduct(machine, left, right);
    Tensor made = Machine::view(product, output, true);
    made->edge = reshapeNode(machine, product);
    return made;
}

namespace {

/// The rows of a table selected by an index. The gradients of rows that are selected more than once are
/// summed; a GPU sorts the index for this (Indexing.cu).
Tensor rowsOf(Machine& machine, const Tensor& table, const Tensor& index) {
    const NodePtr node = machine.node({&table});
    machine.save(node, index);
    const Dims output{index->elements(), table->dims[1]};
    machine.op("index", "copy", 2 * static_cast<double>(output.elements() * sizeOf(table->dtype)));
    Tensor made = machine.empty(output, table->dtype);
    if (node) {
        node->apply = [dims = table->dims, type = table->dtype, count = index->elements()](
                          Machine& m, Node&, Tensor& gradient, Gradients& out) {
            m.op("index backward", "copy", 2 * static_cast<double>(gradient->bytes()));
            out[0] = m.empty(dims, type);
            if (m.cuda) {
                const Bytes one = count * sizeOf(DType::Int64);
                StoragePtr wrapped = m.allocate(one);
                const StoragePtr positions = m.allocate(one);
                wrapped.reset();
                const StoragePtr values = temporaryCopy(m, gradient), sorted = m.allocate(one),
                                 order = m.allocate(one), range = m.allocate(one);
                // cub::DeviceRadixSort: at least the second buffers, unless one block of 256 threads sorts
                // everything.
                constexpr std::int64_t kOneBlock = 256 * 9;
                m.allocate(count > kOneBlock ? 2 * one : 1);
            }
        };
    }
    made->edge = node;
    return made;
}

Tensor contiguous(Machine& machine, const Tensor& x) {
    return copied(machine, {stack::Copy::Kind::Contiguous}, x);
}

}  // namespace

Tensor relativePositionBias(Machine& machine, const stack::RelativePositionBias& bias,
                            const LayerState& state) {
    const std::int64_t whole = state.index->dims[0], places = bias.places == 0 ? whole : bias.places;
    Tensor index = bias.copyIndex ? copyOf(machine, state.index, "index") : state.index;
    index = stridedView(index, {places, places}, stridesOf(index));
    index = reshape(machine, index, {places * places});
    const Tensor rows = rowsOf(machine, state.value(0), index);
    const Tensor square = reshape(machine, rows, {places, places, bias.numHeads});
    const Tensor made = contiguous(machine, permute(machine, {2, 0, 1}, square));
    return reshape(machine, made, {1, bias.numHeads, places, places});
}

Tensor windowMask(Machine& machine, const stack::WindowMask& mask) {
    Dims whole, split;
    stack::Sizes order{0};
    whole.rank = 1;
    split.rank = 1;
    const auto axes = static_cast<int>(mask.size.size());
    for (std::size_t axis = 0; axis < mask.size.size(); ++axis) {
        whole[whole.rank++] = mask.size[axis];
        split[split.rank++] = mask.size[axis] / mask.windowSize[axis];
        split[split.rank++] = mask.windowSize[axis];
    }
    ++whole.rank;
    ++split.rank;
    for (const int first : {1, 2}) {
        for (int axis = 0; axis < axes; ++axis) {
            order.push_back(2 * axis + first);
        }
    }
    order.push_back(2 * axes + 1);

    const Tensor image = machine.empty(whole);
    const Tensor windows = contiguous(machine, permute(machine, order, reshape(machine, image, split)));
    const std::int64_t places = stack::placesOf(mask.windowSize), count = whole.elements() / places;
    const Dims pairs{count, places, places};
    machine.op("window mask", "elementwise", 12 * 4 * static_cast<double>(pairs.elements()));
    Tensor differences = machine.empty(pairs);
    Tensor apart = compared(machine, pairs);
    const Tensor filled = machine.empty(pairs);
    apart.reset();
    Tensor same = compared(machine, pairs);
    const Tensor made = machine.empty(pairs);
    differences.reset();
    same.reset();
    return Machine::view(made, {1, count, 1, places, places}, true);
}

Tensor unknown(Machine& machine, const Tensor& x, const std::vector<Tensor>& with, const Dims& output) {
    std::vector<const Tensor*> all = {&x};
    for (const Tensor& other : with) {
        all.push_back(&other);
    }
    const auto oneByte = [](Machine& m, const Dims& dims, DType type) {
        Tensor made = std::make_shared<TensorImpl>();
        made->dims = dims;
        made->dtype = type;
        made->storage = m.allocate(1);
        return made;
    };
    const NodePtr node = machine.node(all);
    machine.op("unknown", "copy", 0);
    machine.layoutsGuessed = true;
    Tensor made = oneByte(machine, output, x->dtype);
    if (node) {
        std::vector<Node::Input> inputs;
        for (const Tensor* each : all) {
            inputs.push_back({(*each)->dims, (*each)->dtype});
        }
        node->apply = [inputs, oneByte](Machine& m, Node& self, Tensor&, Gradients& out) {
            for (std::size_t i = 0; i < inputs.size(); ++i) {
                if (self.next[i]) {
                    out[i] = oneByte(m, inputs[i].dims, inputs[i].dtype);
                }
            }
        };
    }
    made->edge = node;
    return made;
}

}  // namespace highwater::predict::ghost
