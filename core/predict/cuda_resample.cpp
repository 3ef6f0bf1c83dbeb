#include "core/predict/cuda_ops.h"

/// Pools and upsampling of a GPU.
namespace highwater::predict::ghost {

namespace {

Dims poolOutput(const stack::Pool& pool, const Dims& input) {
    Dims output = input;
    const auto at = [](const stack::Sizes& sizes, int axis) {
        return sizes[sizes.size() == 1 ? 0 : static_cast<std::size_t>(axis - 2)];
    };
    for (int axis = 2; axis < input.rank; ++axis) {
        const std::int64_t kernel = at(pool.kernelSize, axis),
                           stride = pool.stride.empty() ? kernel : at(pool.stride, axis);
        output[axis] = (input[axis] + 2 * at(pool.padding, axis) - kernel) / stride + 1;
    }
    return output;
}

void resampledBack(const NodePtr& node, std::string_view label, std::string_view family, const Tensor& x) {
    if (node)
        node->apply = [=, dims = x->dims, type = x->dtype](Machine& m, Node&, Tensor& gradient,
                                                           Gradients& out) {
            WalkOp& op = m.op(label, family, static_cast<double>(gradient->bytes()));
            const StoragePtr copy = contiguousCopy(m, gradient);
            out[0] = m.empty(dims, type);
            op.bytesMoved += static_cast<double>(out[0]->bytes());
        };
}

}  // namespace

Tensor poolCuda(Machine& machine, const stack::Pool& pool, const Tensor& x) {
    const Dims output = poolOutput(pool, x->dims);
    const bool max = pool.kind == stack::Pool::Kind::Max;
    const NodePtr node = machine.node({&x});
    WalkOp& op = machine.op(max ? "max_pool" : "avg_pool", "pool", static_cast<double>(x->bytes()));
    machine.save(node, x);
    Tensor made = machine.empty(output, x->dtype);
    op.bytesMoved += static_cast<double>(made->bytes());
    if (max)
        machine.save(node, machine.empty(output, DType::Int64));
    resampledBack(node, "pool backward", "pool", x);
    made->edge = node;
    return made;
}

/// In fp32 under autocast from 2.4 on.
Tensor upsampleCuda(Machine& machine, const stack::Upsample&, const Tensor& given, const Dims& output) {
    const bool wide = machine.target.versions.libtorch >= memory::TorchVersion{2, 4};
    const Tensor x = wide ? cast(machine, given, DType::Float32) : given;
    const NodePtr node = machine.node({&x});
    WalkOp& op = machine.op("upsample", "upsample", static_cast<double>(x->bytes()));
    Tensor made = machine.empty(output, x->dtype);
    op.bytesMoved += static_cast<double>(made->bytes());
    resampledBack(node, "upsample backward", "upsample", x);
    made->edge = node;
    return made;
}

}  // namespace highwater::predict::ghost
