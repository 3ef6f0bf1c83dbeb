#include "core/layers/axis_size.h"
#include "core/predict/ghost/ops.h"
#include "core/predict/ghost/strides.h"

/// Pooling and upsampling on the CPU.
namespace highwater::predict::ghost {

namespace {

Strides withoutAxis(const Tensor& x) {
    Strides strides = stridesOf(x);
    strides[2] = strides[3];
    return strides;
}

/// 1d pools run as 2d pools, between views.
Tensor unsqueezed(Machine& machine, const Tensor& x) {
    Tensor made = stridedView(x, {x->dims[0], x->dims[1], 1, x->dims[2]}, unsqueezedStrides(x));
    const NodePtr node = machine.node({&x});
    if (node) {
        node->apply = [dims = x->dims](Machine&, Node&, Tensor& gradient, Gradients& out) {
            out[0] = stridedGradient(gradient, dims, withoutAxis(gradient));
        };
    }
    made->edge = node;
    return made;
}

Tensor squeezed(Machine& machine, const Tensor& x) {
    Tensor made = stridedView(x, {x->dims[0], x->dims[1], x->dims[3]}, withoutAxis(x));
    const NodePtr node = machine.node({&x});
    if (node) {
        node->apply = [dims = x->dims](Machine&, Node&, Tensor& gradient, Gradients& out) {
            const bool known = gradient->contiguous || gradient->strides;
            out[0] = known ? stridedGradient(gradient, dims, unsqueezedStrides(gradient))
                           : Machine::gradientView(gradient, dims, false);
        };
    }
    made->edge = node;
    made->base = x;
    return made;
}

template <class Pooling>
Tensor throughAxis(Machine& machine, const Tensor& x, const Dims& output, const Pooling& pooling) {
    return squeezed(machine, pooling(unsqueezed(machine, x), Dims{output[0], output[1], 1, output[2]}));
}

/// Whether a 2d kernel computes in channels_last (MemoryFormat.h).
bool worksChannelsLast(const Tensor& x) {
    return x->dims.rank == 4 && x->channelsLast;
}

/// When a kernel copies a non-contiguous input: before or after its results are allocated.
enum class Copies { Never, Before, After };

Tensor pooled(Machine& machine, bool max, std::string_view label, const Tensor& x, const Dims& output,
              Copies copies) {
    const NodePtr node = machine.node({&x});
    machine.op(label, "pool", static_cast<double>(x->bytes()));
    machine.save(node, x);
    const bool last = worksChannelsLast(x);
    StoragePtr copy = copies == Copies::Before ? layoutCopy(machine, x, last) : nullptr;
    Tensor made = emptyAs(machine, output, x->dtype, last);
    const Tensor indices = max ? emptyAs(machine, output, DType::Int64, last) : nullptr;
    if (copies == Copies::After) {
        copy = layoutCopy(machine, x, last);
    }
    copy.reset();
    if (max) {
        machine.save(node, indices);
    }
    if (node) {
        node->apply = [dims = x->dims, last, max, adaptiveMax = label == "adaptive_max_pool"](
                          Machine& m, Node&, Tensor& gradient, Gradients& out) {
            out[0] = emptyAs(m, dims, gradient->dtype, last);
            m.op("pool backward", "pool",
                 static_cast<double>(gradient->bytes()) + static_cast<double>(out[0]->bytes()));
            // adaptive_max_pool uses the input's layout; the others the gradient's.
            const bool its = adaptiveMax ? last : worksChannelsLast(gradient);
            const bool reorders = its != last && !inBothLayouts(dims);
            const auto copiedResult = [&](bool now) {
                return reorders && now ? m.allocate(out[0]->bytes()) : nullptr;
            };
            const StoragePtr first = copiedResult(its);
            const StoragePtr gradientCopy = layoutCopy(m, gradient, its);
            const StoragePtr indicesCopy = reorders && max ? m.allocate(gradient->elements() * 8) : nullptr;
            const StoragePtr result = copiedResult(!its);
        };
    }
    made->edge = node;
    return made;
}

Tensor pool2or3(Machine& machine, const stack::Pool& pool, const Tensor& x, const Dims& output) {
    const bool max = pool.kind == stack::Pool::Kind::Max;
    return pooled(machine, max, max ? "max_pool" : "avg_pool", x, output,
                  max && x->dims.rank == 5 ? Copies::Before : Copies::After);
}

/// as_strided_: the same elements with channels_last strides. Its gradient is written into a new tensor.
void asStrided(Machine& machine, const Tensor& x) {
    const NodePtr node = machine.node({&x});
    if (node) {
        node->apply = [dims = x->dims](Machine& m, Node&, Tensor& gradient, Gradients& out) {
            out[0] = m.empty(dims, gradient->dtype);
        };
    }
    x->edge = node;
}

/// Adaptive pooling to one value is a mean.
Tensor meanOfPlaces(Machine& machine, const Tensor& x, const Dims& output) {
    const NodePtr node = machine.node({&x});
    machine.op("adaptive_avg_pool", "pool", static_cast<double>(x->bytes()));
    if (machine.torch < memory::TorchVersion{2, 0}) {
        machine.save(node, x);
    }
    Tensor made = machine.empty(output, x->dtype);
    if (output.elements() == 1) {
        threadsSum(machine, x->elements());
    }
    scalar(machine);
    if (node) {
        node->apply = [dims = x->dims](Machine& m, Node&, Tensor&, Gradients& out) {
            out[0] = withScalar(m, [&] { return m.empty(dims); });
            m.op("pool backward", "pool", static_cast<double>(out[0]->bytes()));
        };
    }
    made->edge = node;
    if (worksChannelsLast(x)) {
        asStrided(machine, made);
    }
    return made;
}

Tensor adaptive2or3(Machine& machine, const stack::AdaptivePool& pool, const Tensor& x, const Dims& output) {
    const bool max = pool.kind == stack::AdaptivePool::Kind::Max;
    if (!max && output.spatial() == 1) {
        return meanOfPlaces(machine, x, output);
    }
    return pooled(machine, max, max ? "adaptive_max_pool" : "adaptive_avg_pool", x, output,
                  x->dims.rank == 5 ? Copies::Never : Copies::After);
}

/// Allocates the indices and weights of the source positions along each axis.
void interpolate(Machine& machine, const Dims& output, bool nearest) {
    std::vector<StoragePtr> tables;
    for (int axis = 2; axis < output.rank; ++axis) {
        for (int source = 0; source < (nearest ? 1 : 2); ++source) {
            tables.push_back(machine.allocate(8 * output[axis]));
            tables.push_back(machine.allocate(4 * output[axis]));
        }
    }
    for (StoragePtr& table : tables) {
        table.reset();
    }
}

/// Whether a contiguous 1d or 2d tensor counts as channels_last too.
bool alsoChannelsLast(const Dims& dims) {
    return dims.rank > 3 && (dims[1] == 1 || dims.spatial() == 1);
}

}  // namespace

Dims poolOutput(const stack::Pool& pool, const Dims& input) {
    Dims output = input;
    for (int axis = 2; axis < input.rank; ++axis) {
        output[axis] =
            stack::pooledSize(input[axis], pool, input.rank - 2, static_cast<std::size_t>(axis - 2));
    }
    return output;
}

Tensor pool(Machine& machine, const stack::Pool& pool, const Tensor& x) {
    const Dims output = poolOutput(pool, x->dims);
    if (x->dims.rank > 3) {
        return pool2or3(machine, pool, x, output);
    }
    const bool max = pool.kind == stack::Pool::Kind::Max;
    if (max && !(machine.gradMode && x->needsGradient())) {
        machine.op("max_pool", "pool", static_cast<double>(x->bytes()));
        return machine.empty(output, x->dtype);
    }
    return throughAxis(machine, x, output, [&](const Tensor& wide, const Dims& wideOutput) {
        return pool2or3(machine, pool, wide, wideOutput);
    });
}

Tensor adaptivePool(Machine& machine, const stack::AdaptivePool& pool, const Tensor& x, const Dims& output) {
    if (x->dims.rank > 3) {
        return adaptive2or3(machine, pool, x, output);
    }
    return throughAxis(machine, x, output, [&](const Tensor& wide, const Dims& wideOutput) {
        return adaptive2or3(machine, pool, wide, wideOutput);
    });
}

Tensor upsample(Machine& machine, const stack::Upsample& upsample, const Tensor& x, const Dims& output) {
    const bool nearest = upsample.mode == stack::Upsample::Mode::Nearest;
    const NodePtr node = machine.node({&x});
    WalkOp& op = machine.op("upsample", "upsample", static_cast<double>(x->bytes()));
    const bool last = x->channelsLast && liesAs(x, true);
    Tensor made = emptyAs(machine, output, x->dtype, last);
    op.bytesMoved += static_cast<double>(made->bytes());
    if (last) {
        // No tables and no copies.
    } else if (x->contiguous && alsoChannelsLast(x->dims)) {
        const StoragePtr copy = alsoChannelsLast(output) ? nullptr : machine.allocate(made->bytes());
    } else if (!machine.cuda) {
        interpolate(machine, output, nearest);
    }
    if (node) {
        node->apply = [dims = x->dims, nearest](Machine& m, Node&, Tensor& gradient, Gradients& out) {
            // Only 3d nearest does not support channels_last.
            const bool suggested = gradient->channelsLast && (dims.rank == 4 || !nearest);
            out[0] = emptyAs(m, dims, gradient->dtype, suggested);
            m.op("upsample backward", "upsample",
                 static_cast<double>(gradient->bytes()) + static_cast<double>(out[0]->bytes()));
            const bool works = dims.rank == 4 ? isChannelsLast(gradient->dims, stridesOf(gradient))
                                              : suggested && gradient->contiguous;
            const StoragePtr copy = works ? nullptr : temporaryCopy(m, gradient);
            const StoragePtr result =
                works != suggested && !alsoChannelsLast(dims) ? m.allocate(out[0]->bytes()) : nullptr;
        };
    }
    made->edge = node;
    return made;
}

}  // namespace highwater::predict::ghost
