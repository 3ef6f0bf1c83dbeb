#include "core/predict/ghost/strides.h"

#include <numeric>
#include <vector>

#include "core/predict/ghost/ops.h"

namespace highwater::predict::ghost {

namespace {

Strides channelsLastStrides(const Dims& dims) {
    Strides strides{};
    std::int64_t next = 1;
    const auto take = [&](int axis) {
        strides[static_cast<std::size_t>(axis)] = next;
        next *= dims[axis];
    };
    take(1);
    for (int axis = dims.rank - 1; axis > 1; --axis) {
        take(axis);
    }
    take(0);
    return strides;
}

bool same(const Dims& dims, const Strides& a, const Strides& b) {
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(dims.rank); ++axis) {
        if (dims.size[axis] != 1 && a[axis] != b[axis]) {
            return false;
        }
    }
    return true;
}

/// Whether a kernel that supports channels_last uses it for a tensor with these strides (MemoryFormat.h):
/// here axes with one element matter.
bool suggestsChannelsLast(const Dims& dims, const Strides& strides) {
    std::int64_t least = 0;
    const auto follows = [&](int axis) {
        const std::int64_t stride = strides[static_cast<std::size_t>(axis)];
        const bool may = stride >= least;
        least = stride * dims[axis];
        return may;
    };
    if (strides[1] == 0 || !follows(1)) {
        return false;
    }
    for (int axis = dims.rank - 1; axis > 1; --axis) {
        if (!follows(axis)) {
            return false;
        }
    }
    return least != strides[1] && follows(0);
}

}  // namespace

Strides contiguousStrides(const Dims& dims) {
    Strides strides{};
    std::int64_t next = 1;
    for (int axis = dims.rank - 1; axis >= 0; --axis) {
        strides[static_cast<std::size_t>(axis)] = next;
        next *= dims[axis];
    }
    return strides;
}

Strides stridesOf(const Tensor& tensor) {
    if (tensor->strides) {
        return *tensor->strides;
    }
    return tensor->channelsLast && tensor->dims.rank >= 4 ? channelsLastStrides(tensor->dims)
                                                          : contiguousStrides(tensor->dims);
}

bool isContiguous(const Dims& dims, const Strides& strides) {
    return same(dims, strides, contiguousStrides(dims));
}

bool isChannelsLast(const Dims& dims, const Strides& strides) {
    return same(dims, strides, channelsLastStrides(dims));
}

std::optional<Strides> viewStrides(const Dims& from, const Strides& strides, const Dims& to) {
    // Runs of axes that are adjacent in memory; each is divided again, from the last axis on.
    Strides made{};
    int target = to.rank - 1;
    std::int64_t run = 1, step = 0;  // the run's element count, and the stride of its last axis
    for (int axis = from.rank - 1; axis >= 0; --axis) {
        const std::int64_t stride = strides[static_cast<std::size_t>(axis)];
        step = run == 1 ? stride : step;
        run *= from[axis];
        int before = axis - 1;
        while (before >= 0 && from[before] == 1) {
            --before;
        }
        const bool ends = before < 0 || strides[static_cast<std::size_t>(before)] != run * step;
        if (!ends) {
            continue;
        }
        std::int64_t taken = 1;
        while (target >= 0 && (taken < run || to[target] == 1)) {
            made[static_cast<std::size_t>(target)] = taken * step;
            taken *= to[target--];
        }
        if (taken != run) {
            return std::nullopt;
        }
        run = 1;
    }
    return target < 0 ? std::optional(made) : std::nullopt;
}

Strides denseStrides(const Dims& dims, const Strides& strides) {
    return denseStrides(dims, std::span(&strides, 1));
}

Strides denseStrides(const Dims& dims, std::span<const Strides> operands) {
    std::vector<std::size_t> order(
        static_cast<std::size_t>(dims.rank));  // the axis with the smallest stride first
    std::iota(order.rbegin(), order.rend(), 0);
    // Compares an axis with one further out; 0: undecided.
    const auto compared = [&](std::size_t inner, std::size_t outer) {
        for (const Strides& strides : operands) {
            if (strides[inner] == 0 || strides[outer] == 0) {
                continue;
            }
            if (strides[inner] != strides[outer]) {
                return strides[inner] < strides[outer] ? -1 : 1;
            }
            if (dims.size[inner] > dims.size[outer]) {
                return 1;
            }
        }
        return 0;
    };
    for (std::size_t i = 1; i < order.size(); ++i) {
        for (std::size_t from = i, j = i; j-- > 0;) {
            const int comparison = compared(order[j], order[from]);
            if (comparison < 0) {
                break;
            }
            if (comparison > 0) {
                std::swap(order[j], order[from]);
                from = j;
            }
        }
    }
    Strides made{};
    std::int64_t next = 1;
    for (const std::size_t axis : order) {
        made[axis] = next;
        next *= dims.size[axis];
    }
    return made;
}

bool isDense(const Tensor& tensor) {
    return tensor->contiguous || (tensor->strides && same(tensor->dims, *tensor->strides,
                                                          denseStrides(tensor->dims, *tensor->strides)));
}

bool ownsItsStorage(const Tensor& tensor) {
    return tensor.use_count() == 1 && tensor->storage.use_count() == 1 && isDense(tensor);
}

Strides unsqueezedStrides(const Tensor& tensor) {
    Strides strides = stridesOf(tensor);
    strides[3] = strides[2];
    strides[2] *= tensor->dims[2];
    return strides;
}

bool seemsChannelsLast(const Tensor& tensor) {
    if (tensor->dims.rank != 3 || !tensor->strides) {
        return tensor->channelsLast;
    }
    return suggestsChannelsLast({tensor->dims[0], tensor->dims[1], 1, tensor->dims[2]},
                                unsqueezedStrides(tensor));
}

void lay(TensorImpl& tensor, const Strides& strides) {
    const bool spatial = tensor.dims.rank == 4 || tensor.dims.rank == 5;
    const bool inOrder = isContiguous(tensor.dims, strides);
    tensor.strides = strides;
    tensor.channelsLast = spatial && suggestsChannelsLast(tensor.dims, strides);
    tensor.contiguous = inOrder || (tensor.channelsLast && isChannelsLast(tensor.dims, strides));
}

Tensor stridedView(const Tensor& of, const Dims& dims, const Strides& strides) {
    Tensor made = Machine::view(of, dims, true);
    lay(*made, strides);
    return made;
}

Tensor stridedGradient(const Tensor& of, const Dims& dims, const Strides& strides) {
    Tensor made = Machine::gradientView(of, dims, true);
    lay(*made, strides);
    return made;
}

namespace {

/// The strides of a tensor that is repeated to these sizes.
Strides repeatedStrides(const Tensor& tensor, const Dims& dims) {
    const Strides its = stridesOf(tensor);
    Strides strides{};
    const int more = dims.rank - tensor->dims.rank;
    for (int axis = more; axis < dims.rank; ++axis) {
        const bool repeats = tensor->dims[axis - more] == 1 && dims[axis] != 1;
        strides[static_cast<std::size_t>(axis)] = repeats ? 0 : its[static_cast<std::size_t>(axis - more)];
    }
    return strides;
}

}  // namespace

Tensor outlineOf(const Tensor& x) {
    const auto made = std::make_shared<TensorImpl>(*x);
    made->storage = nullptr;
    made->base = nullptr;
    made->edge = nullptr;
    return made;
}

void turns(Machine& machine, const Dims& dims, DType dtype, bool toChannelsLast) {
    if (!machine.cuda || machine.walk.ops.empty() || inBothLayouts(dims)) {
        return;
    }
    LayoutCopies& copies = machine.walk.ops.back().layoutCopies;
    const auto& attributes = machine.target.gpu->attributes;
    const Bytes sample = dims.elements() / dims[0] * sizeOf(dtype);
    const bool beyond = attributes && sample > attributes->l2Cache;
    (toChannelsLast ? copies.toChannelsLast
     : beyond       ? copies.beyondCache
                    : copies.toContiguous) += static_cast<double>(dims.elements());
}

Tensor emptyLike(Machine& machine, const Tensor& like, DType dtype) {
    return emptyOrdered(machine, like->dims, like, dtype);
}

Tensor emptyPairwise(Machine& machine, const Tensor& x, const Tensor& with, const Dims& output, DType dtype) {
    const bool alike = x->dims == output && with->dims == output;
    Tensor made = machine.empty(output, dtype);
    if (alike && liesAs(x, false) && liesAs(with, false)) {
        return made;  // TensorIterator's fast set-up, as the next
    }
    if (alike && x->contiguous && x->channelsLast && with->contiguous && with->channelsLast) {
        made->channelsLast = true;
        return made;
    }
    lay(*made, denseStrides(output, std::array{repeatedStrides(x, output), repeatedStrides(with, output)}));
    return made;
}

Tensor emptyOrdered(Machine& machine, const Dims& dims, const Tensor& like, DType dtype) {
    Tensor made = machine.empty(dims, dtype);
    if (like->strides && !like->contiguous) {
        lay(*made, denseStrides(dims, *like->strides));
    } else {
        // A tensor that also counts as contiguous gives a contiguous result (TensorIterator's fast set-up).
        made->channelsLast = like->channelsLast && !liesAs(like, false);
    }
    return made;
}

}  // namespace highwater::predict::ghost
