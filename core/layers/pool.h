#pragma once

#include "core/layers/convolutions.h"

namespace highwater::stack {

struct Pool {
    enum class Kind { Max, Avg };
    Kind kind = Kind::Max;
    Sizes kernelSize = {2};
    Sizes stride;  ///< empty: the kernel's size
    Sizes padding = {0};
    bool ceilMode = false;  ///< include a last window that is partly outside
    bool operator==(const Pool&) const = default;
};

/// The same as slidSize, except that avg_pool3d's kernel must fit without the padding, and for ceil_mode.
/// `dims`: the number of spatial axes, 1 to 3. (torch.nn's pages of MaxPool3d and AvgPool3d, "Shape".)
std::int64_t pooledSize(std::int64_t size, const Pool& pool, int dims, std::size_t axis);

template <>
struct About<Pool> : AboutMost {
    static constexpr std::array<std::string_view, 2> names = {"max_pool", "avg_pool"};
    static constexpr Group group = Group::Resolution;
    static const Sizes& strideOf(const Pool& op) { return op.stride.empty() ? op.kernelSize : op.stride; }
    static base::Result<LayerRule> rule(const Pool& op, const Shape& input, bool train);
    static std::int64_t sizeAlong(const Pool& op, std::int64_t size, int dims, std::size_t axis) {
        return pooledSize(size, op, dims, axis);
    }
    static AxisScale scaleAlong(const Pool& op, std::size_t axis) {
        return {scaleInRange(strideOf(op), axis), 1};
    }
    static void words(const Pool& op, Words& w);
    static python::Module module(const Pool& op, const python::Place& at);
    template <class V>
    static void fields(V& v, const Pool&) {
        using T = Pool;
        kernelField(v, &T::kernelSize);
        v.sizes("stride", &T::stride, {.low = 1, .high = kMostExtent, .mayBeEmpty = true},
                "How far the window moves at a time; empty: the kernel's size");
        v.sizes("padding", &T::padding, kFromZero, "How much is added at each side; at most half the kernel");
        v.toggle("ceil_mode", &T::ceilMode, "A last window that lies partly outside the input counts too");
    }
};

}  // namespace highwater::stack
