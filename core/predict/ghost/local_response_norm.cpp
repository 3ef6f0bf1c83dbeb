#include "core/predict/ghost/ops.h"
#include "core/predict/ghost/strides.h"

/// local_response_norm, as torch.nn.functional composes it from other operators.
namespace highwater::predict::ghost {

namespace {

/// x times itself: each factor has a separate gradient.
Tensor square(Machine& machine, const Tensor& x) {
    const NodePtr node = machine.node({&x, &x});
    machine.save(node, x);
    beginElementwise(machine, "local_response_norm", x, 2);
    Tensor made = machine.like(x);
    if (node) {
        node->apply = [type = x->dtype](Machine& m, Node&, Tensor& gradient, Gradients& out) {
            for (const std::size_t i : {0U, 1U}) {
                beginElementwise(m, "mul backward", gradient, 3);
                out[i] = emptyLike(m, gradient, type);
            }
        };
    }
    made->edge = node;
    return made;
}

Tensor viewAs(Machine& machine, const Tensor& x, const Dims& dims) {
    Tensor made = Machine::view(x, dims, x->contiguous);
    made->edge = viewNode(machine, x, x->dims, false);
    return made;
}

/// x to a power. In backward x is raised to the power that is lower by 1, then multiplied by two factors.
Tensor power(Machine& machine, const Tensor& x) {
    const NodePtr node = machine.node({&x});
    machine.save(node, x);
    beginElementwise(machine, "pow", x, 2);
    Tensor made = machine.like(x);
    if (node) {
        node->apply = [dims = x->dims, type = x->dtype](Machine& m, Node&, Tensor& gradient, Gradients& out) {
            beginElementwise(m, "pow backward", gradient, 7);
            const Tensor lower = m.empty(dims, type);
            const Tensor scaled = withScalar(m, [&] { return m.empty(dims, type); });
            out[0] = emptyLike(m, gradient, type);
        };
    }
    made->edge = node;
    return made;
}

/// The mean of the squares over neighboring channels.
Tensor meanSquares(Machine& machine, const stack::LocalResponseNorm& norm, const Tensor& x) {
    // The channels become an axis that is padded and pooled over; of two or more spatial sizes, all but the
    // first are merged into one.
    std::vector<std::int64_t> shape = {x->dims[0], 1, x->dims[1], x->dims[2]};
    if (x->dims.rank > 3) {
        shape.push_back(x->dims.spatial() / x->dims[2]);
    }
    const Dims wide(shape);
    Borders borders;
    borders.before[0] = norm.size / 2;
    borders.after[0] = (norm.size - 1) / 2;
    stack::Pool pool;
    pool.kind = stack::Pool::Kind::Avg;
    pool.kernelSize.assign(static_cast<std::size_t>(wide.rank - 2), 1);
    pool.kernelSize.front() = norm.size;
    pool.stride = {1};
    Tensor padded;
    {
        const Tensor squares = viewAs(machine, square(machine, x), wide);
        padded = machine.ops.pad(machine, squares, stack::PaddingMode::Zeros, borders);
    }
    const Tensor means = machine.ops.pool(machine, pool, padded);
    shape.erase(shape.begin() + 1);
    const Dims narrow(shape);
    const Tensor squeezed = viewAs(machine, means, narrow);
    return x->dims.rank == 3 ? squeezed : viewAs(machine, squeezed, x->dims);
}

}  // namespace

Tensor localResponseNorm(Machine& machine, const stack::LocalResponseNorm& norm, const Tensor& x) {
    Tensor below = meanSquares(machine, norm, x);
    {
        const Tensor scaled = weigh(machine, below);
        const Tensor shifted = plusNumber(machine, scaled);
        below = power(machine, machine.ops.widen ? machine.ops.widen(machine, shifted) : shifted);
    }
    beginElementwise(machine, "local_response_norm", x, 3);
    return quotient(machine, x, below, x->dims);
}

}  // namespace highwater::predict::ghost
