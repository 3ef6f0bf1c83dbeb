#include "core/predict/ghost/ops.h"
#include "core/stack/axis_size.h"

/// Pooling and upsampling on the CPU.
namespace highwater::predict::ghost {

namespace {

/// Returns the temporary copy that these kernels make of a gradient that is a view; nullptr for others.
StoragePtr gradientCopy(Machine& machine, const Tensor& gradient) {
    return liesAs(gradient, false) ? nullptr : machine.allocate(gradient->bytes());
}

/// 1d pools run as 2d pools, between views.
Dims withAxis(const Dims& dims) {
    Dims made = dims;
    made.rank = 4;
    made[3] = dims[2];
    made[2] = 1;
    return made;
}

template <class Pooling>
Tensor throughAxis(Machine& machine, const Tensor& x, const Dims& output, const Pooling& pooling) {
    const Tensor wide = Machine::view(x, withAxis(x->dims), x->contiguous);
    wide->edge = viewNode(machine, x, x->dims, false);
    const Tensor made = pooling(wide, withAxis(output));
    Tensor narrow = Machine::view(made, output, true);
    narrow->edge = viewNode(machine, made, made->dims, false);
    narrow->base = made;
    return narrow;
}

Tensor pooled(Machine& machine, bool max, std::string_view label, const Tensor& x, const Dims& output) {
    const NodePtr node = machine.node({&x});
    machine.op(label, "pool", static_cast<double>(x->bytes()));
    machine.save(node, x);
    Tensor made = machine.empty(output, x->dtype);
    if (max) {
        const Tensor indices = machine.empty(output, DType::Int64);
        machine.save(node, indices);
    }
    if (node) {
        node->apply = [dims = x->dims](Machine& m, Node&, Tensor& gradient, Gradients& out) {
            out[0] = m.empty(dims);
            m.op("pool backward", "pool",
                 static_cast<double>(gradient->bytes()) + static_cast<double>(out[0]->bytes()));
            const StoragePtr copy = gradientCopy(m, gradient);
        };
    }
    made->edge = node;
    return made;
}

Tensor pool2or3(Machine& machine, const stack::Pool& pool, const Tensor& x, const Dims& output) {
    const bool max = pool.kind == stack::Pool::Kind::Max;
    return pooled(machine, max, max ? "max_pool" : "avg_pool", x, output);
}

/// Adaptive pooling to one value is a mean.
Tensor meanOfPlaces(Machine& machine, const Tensor& x, const Dims& output) {
    const NodePtr node = machine.node({&x});
    machine.op("adaptive_avg_pool", "pool", static_cast<double>(x->bytes()));
    machine.save(node, x);
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
    return made;
}

Tensor adaptive2or3(Machine& machine, const stack::AdaptivePool& pool, const Tensor& x, const Dims& output) {
    const bool max = pool.kind == stack::AdaptivePool::Kind::Max;
    if (!max && output.spatial() == 1) {
        return meanOfPlaces(machine, x, output);
    }
    return pooled(machine, max, max ? "adaptive_max_pool" : "adaptive_avg_pool", x, output);
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

/// Whether a contiguous tensor of two or three axes counts as channels-last too.
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
    Tensor made = machine.empty(output, x->dtype);
    op.bytesMoved += static_cast<double>(made->bytes());
    if (alsoChannelsLast(x->dims)) {
        const StoragePtr copy = alsoChannelsLast(output) ? nullptr : machine.allocate(made->bytes());
    } else if (!machine.cuda) {
        interpolate(machine, output, nearest);
    }
    if (node) {
        node->apply = [dims = x->dims](Machine& m, Node&, Tensor& gradient, Gradients& out) {
            out[0] = m.empty(dims);
            m.op("upsample backward", "upsample",
                 static_cast<double>(gradient->bytes()) + static_cast<double>(out[0]->bytes()));
            // In 2d as channels-last, where the gradient counts as such, and then copied to the result.
            const bool other = gradient->contiguous && dims.rank == 4 && alsoChannelsLast(gradient->dims) &&
                               !alsoChannelsLast(dims);
            const StoragePtr result = other ? m.allocate(out[0]->bytes()) : nullptr;
            const StoragePtr copy = gradientCopy(m, gradient);
        };
    }
    made->edge = node;
    return made;
}

}  // namespace highwater::predict::ghost
