#include "core/layers/axis_size.h"

#include <algorithm>
#include <cmath>

namespace highwater::stack {

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

std::int64_t scaledSize(std::int64_t size, double scale) {
    return static_cast<std::int64_t>(std::floor(static_cast<double>(size) * scale));
}

bool canPad(PaddingMode mode, std::int64_t padding, std::int64_t size) {
    return mode == PaddingMode::Reflect ? padding < size : mode != PaddingMode::Circular || padding <= size;
}

}  // namespace highwater::stack
