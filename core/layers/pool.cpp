#include "core/layers/pool.h"

#include <fmt/format.h>

#include "core/layers/rules.h"

namespace highwater::stack {

using base::Error;
using base::Result;

std::int64_t pooledSize(std::int64_t size, const Pool& pool, int dims, std::size_t axis) {
    const std::int64_t padding = along(pool.padding, axis);
    const AxisWindow window{along(pool.kernelSize, axis), along(About<Pool>::strideOf(pool), axis), 1,
                            padding, padding};
    const bool padded = pool.kind == Pool::Kind::Max || dims < 3;
    if (!padded && window.kernel > size) {
        return 0;
    }
    if (!pool.ceilMode) {
        return slidSize(size, window);
    }
    // A last window that is partly outside must begin in the input or in the padding before it.
    const std::int64_t room = size + 2 * padding - window.kernel + window.stride - 1;
    const std::int64_t count = room < 0 ? 0 : room / window.stride + 1;
    return (count - 1) * window.stride >= size + padding ? count - 1 : count;
}

Result<LayerRule> About<Pool>::rule(const Pool& op, const Shape& input, bool) {
    const int dims = dimsOf(input);
    const auto kernel = perAxis(op.kernelSize, dims, "kernel_size", 1, kMostExtent);
    const auto stride =
        perAxis(op.stride.empty() ? op.kernelSize : op.stride, dims, "stride", 1, kMostExtent);
    const auto padding = perAxis(op.padding, dims, "padding", 0, kMostExtent);
    for (const auto* sizes : {&kernel, &stride, &padding}) {
        if (!*sizes) {
            return sizes->error();
        }
    }
    Shape output = {input[0], input[1]};
    for (int axis = 0; axis < dims; ++axis) {
        const auto a = static_cast<std::size_t>(axis);
        const std::int64_t size = input[a + 2], k = (*kernel)[a], p = (*padding)[a];
        if (p > k / 2) {
            return Error{fmt::format("padding {} is more than half of kernel {}; at most {}", p, k, k / 2)};
        }
        const std::int64_t pooled = pooledSize(size, op, dims, a);
        const bool padded = op.kind == Pool::Kind::Max || dims < 3;
        if (pooled == 0) {
            return Error{fmt::format("kernel {} does not fit an input of {}{} along {}", k, size,
                                     p == 0 || !padded ? "" : fmt::format(" with padding {}", p),
                                     axisName(dims, axis))};
        }
        output.push_back(pooled);
    }
    return LayerRule{std::move(output), 0};
}

void About<Pool>::words(const Pool& op, Words& w) {
    w.addKernel(op.kernelSize, 0);
    if (!op.stride.empty() && op.stride != op.kernelSize) {
        w.add("stride " + (w.brief ? powerText(op.stride, 1) : equalSizesText(op.stride)));
    }
    w.addPadding({false, op.padding});
    w.addIf(!w.brief && op.ceilMode, "ceil_mode");
}

python::Module About<Pool>::module(const Pool& op, const python::Place& at) {
    python::Module made{python::withDims(op.kind == Pool::Kind::Max ? "MaxPool" : "AvgPool", at.dims),
                        {python::sizes(op.kernelSize)}};
    if (!op.stride.empty()) {
        made.add("stride=" + python::sizes(op.stride));
    }
    return made.add("padding", op.padding, 0).add("ceil_mode", op.ceilMode, false);
}

}  // namespace highwater::stack
