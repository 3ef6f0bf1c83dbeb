#include "core/layers/window_mask.h"

#include <fmt/format.h>

#include "core/layers/rules.h"

namespace highwater::stack {

using base::Error;
using base::Result;

Result<LayerRule> About<WindowMask>::rule(const WindowMask& op, const Shape&, bool) {
    const std::size_t axes = axesOfWindow(op.windowSize);
    for (const auto& error :
         {checkWindow("window_size", op.windowSize, 1, axes), checkWindow("size", op.size, 1, axes),
          checkWindow("shift_size", op.shiftSize, 0, axes)}) {
        if (error) {
            return *error;
        }
    }
    std::int64_t windows = 1;
    for (std::size_t axis = 0; axis < axes; ++axis) {
        const std::int64_t size = op.size[axis], window = op.windowSize[axis], shift = op.shiftSize[axis];
        if (size % window != 0 || shift >= window) {
            return Error{fmt::format(
                "a size of {} with windows of {} shifted by {} cannot be; the size must be a multiple of the "
                "window, and the shift less than it",
                size, window, shift)};
        }
        windows = cappedProduct(windows, size / window);
    }
    const std::int64_t places = placesOf(op.windowSize);
    Shape output{1, windows, 1, places, places};
    if (const auto bytes = tensorBytes(output, sizeof(float), "the mask"); !bytes) {
        return bytes.error();
    }
    return LayerRule{std::move(output), 0};
}

void About<WindowMask>::words(const WindowMask& op, Words& w) {
    w.add("windows of " + sizesText(op.windowSize));
    w.add("in " + sizesText(op.size));
    w.addIf(!w.brief, "shifted by " + sizesText(op.shiftSize));
}

python::Module About<WindowMask>::module(const WindowMask& op, const python::Place&) {
    return {"WindowMask",
            {python::tuple(op.size), python::tuple(op.windowSize), python::tuple(op.shiftSize)}};
}

}  // namespace highwater::stack
