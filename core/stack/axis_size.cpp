#include "core/stack/axis_size.h"

#include <algorithm>
#include <cmath>

#include "core/stack/limits.h"

namespace highwater::stack {

namespace {

/// Returns the factor if it is a whole number, else 0.
std::int64_t whole(double factor) {
    const double rounded = std::round(factor);
    return rounded >= 1 && rounded <= kMostScale && std::abs(factor - rounded) < 1e-9
               ? static_cast<std::int64_t>(rounded)
               : 0;
}

const Sizes& strideOf(const Pool& pool) {
    return pool.stride.empty() ? pool.kernelSize : pool.stride;
}

std::int64_t convolved(std::int64_t size, const auto& conv, std::size_t axis) {
    const AxisWindow window = windowAlong(conv.kernelSize, conv.stride, conv.dilation, conv.padding, axis);
    return canPad(conv.paddingMode, std::max(window.before, window.after), size) ? slidSize(size, window) : 0;
}

struct Output {
    std::int64_t size;
    int dims;
    std::size_t axis;
    std::int64_t operator()(const Conv& conv) const { return convolved(size, conv, axis); }
    std::int64_t operator()(const SeparableConv& conv) const { return convolved(size, conv, axis); }
    std::int64_t operator()(const CustomConv& conv) const {
        static const Sizes one = {1};
        return slidSize(size, windowAlong(conv.kernelSize, one, one, conv.padding, axis));
    }
    std::int64_t operator()(const ConvTranspose& conv) const {
        const std::int64_t padding = along(conv.padding, axis);
        return transposedSize(size,
                              {along(conv.kernelSize, axis), along(conv.stride, axis),
                               along(conv.dilation, axis), padding, padding},
                              along(conv.outputPadding, axis));
    }
    std::int64_t operator()(const Pool& pool) const { return pooledSize(size, pool, dims, axis); }
    std::int64_t operator()(const AdaptivePool& pool) const { return along(pool.outputSize, axis); }
    std::int64_t operator()(const Flatten&) const { return 1; }
    std::int64_t operator()(const Reshape& reshape) const {
        return axis + 2 < reshape.shape.size() ? reshape.shape[axis + 2] : 1;
    }
    std::int64_t operator()(const Linear& linear) const {
        return dims > 0 && axis + 1 == static_cast<std::size_t>(dims) ? linear.outFeatures : size;
    }
    std::int64_t operator()(const Pad& pad) const {
        const auto [before, after] = addedTo(pad, dims + 2, static_cast<int>(axis) + 2);
        return canPad(pad.mode, std::max(before, after), size) ? size + before + after : 0;
    }
    std::int64_t operator()(const Crop& crop) const {
        const std::int64_t kept = along(crop.size, axis);
        return along(crop.start, axis) + kept <= size ? kept : 0;
    }
    std::int64_t operator()(const Slice& slice) const {
        if ((slice.dim < 0 ? slice.dim + dims + 2 : slice.dim) != static_cast<int>(axis) + 2) {
            return size;
        }
        return slice.end > size ? 0 : (slice.end - slice.start + slice.step - 1) / slice.step;
    }
    std::int64_t operator()(const RelativePositionBias& bias) const {
        return bias.places == 0 ? placesOf(bias.windowSize) : bias.places;
    }
    std::int64_t operator()(const WindowMask& mask) const {
        return axis == 0 ? 1 : placesOf(mask.windowSize);
    }
    std::int64_t operator()(const Upsample& up) const {
        if (!up.size.empty()) {
            return along(up.size, axis);
        }
        return scaledSize(size, up.scaleFactor.size() == 1 ? up.scaleFactor[0] : up.scaleFactor[axis]);
    }
    std::int64_t operator()(const auto&) const { return size; }
};

struct Scaling {
    std::size_t axis;
    std::int64_t inRange(const Sizes& sizes) const {
        return std::clamp<std::int64_t>(along(sizes, axis), 1, kMostExtent);
    }
    AxisScale operator()(const Conv& conv) const { return {inRange(conv.stride), 1}; }
    AxisScale operator()(const SeparableConv& conv) const { return {inRange(conv.stride), 1}; }
    AxisScale operator()(const Pool& pool) const { return {inRange(strideOf(pool)), 1}; }
    AxisScale operator()(const ConvTranspose& conv) const { return {1, inRange(conv.stride)}; }
    AxisScale operator()(const Upsample& up) const {
        const std::size_t at = up.scaleFactor.size() == 1 ? 0 : axis;
        if (!up.size.empty() || at >= up.scaleFactor.size()) {
            return {};
        }
        const double factor = up.scaleFactor[at];
        if (const std::int64_t by = whole(factor)) {
            return {1, by};
        }
        const std::int64_t by = factor > 0 ? whole(1 / factor) : 0;
        return {std::max<std::int64_t>(by, 1), 1};
    }
    AxisScale operator()(const auto&) const { return {}; }
};

}  // namespace

std::int64_t along(const Sizes& sizes, std::size_t axis) {
    const std::size_t at = sizes.size() == 1 ? 0 : axis;
    return at < sizes.size() ? sizes[at] : 1;
}

AxisWindow windowAlong(const Sizes& kernel, const Sizes& stride, const Sizes& dilation,
                       const Padding& padding, std::size_t axis) {
    AxisWindow window{along(kernel, axis), along(stride, axis), along(dilation, axis)};
    window.before = padding.same ? window.reach() / 2 : along(padding.sizes, axis);
    window.after = padding.same ? window.reach() - window.before : window.before;
    return window;
}

std::int64_t slidSize(std::int64_t size, const AxisWindow& window) {
    const std::int64_t room = size + window.before + window.after - window.reach() - 1;
    return room < 0 ? 0 : room / window.stride + 1;
}

std::int64_t transposedSize(std::int64_t size, const AxisWindow& window, std::int64_t outputPadding) {
    return std::max<std::int64_t>(
        0, (size - 1) * window.stride - window.before - window.after + window.reach() + outputPadding + 1);
}

std::int64_t pooledSize(std::int64_t size, const Pool& pool, int dims, std::size_t axis) {
    const std::int64_t padding = along(pool.padding, axis);
    const AxisWindow window{along(pool.kernelSize, axis), along(strideOf(pool), axis), 1, padding, padding};
    const bool padded = pool.kind == Pool::Kind::Max || dims < 3;
    if (!padded && window.kernel > size) {
        return 0;
    }
    if (!pool.ceilMode) {
        return slidSize(size, window);
    }
    // A last window that lies partly outside must begin in the input or in the padding before it.
    const std::int64_t room = size + 2 * padding - window.kernel + window.stride - 1;
    const std::int64_t count = room < 0 ? 0 : room / window.stride + 1;
    return (count - 1) * window.stride >= size + padding ? count - 1 : count;
}

std::array<std::int64_t, 2> addedTo(const Pad& pad, int axes, int axis) {
    const auto at = 2 * static_cast<std::size_t>(axes - 1 - axis);
    return at + 1 < pad.padding.size() ? std::array{pad.padding[at], pad.padding[at + 1]}
                                       : std::array<std::int64_t, 2>{0, 0};
}

std::int64_t scaledSize(std::int64_t size, double scale) {
    return static_cast<std::int64_t>(std::floor(static_cast<double>(size) * scale));
}

bool canPad(PaddingMode mode, std::int64_t padding, std::int64_t size) {
    return mode == PaddingMode::Reflect ? padding < size : mode != PaddingMode::Circular || padding <= size;
}

std::int64_t outputSize(std::int64_t size, const Op& op, int dims, std::size_t axis) {
    return std::visit(Output{size, dims, axis}, op);
}

AxisScale scaleAlong(const Op& op, std::size_t axis) {
    return std::visit(Scaling{axis}, op);
}

}  // namespace highwater::stack
