#include "core/layers/window_mask.h"

#include <fmt/format.h>

#include "core/layers/rules.h"

namespace highwater::stack {

using base::Error;
using base::Result;

namespace {

constexpr std::string_view kWindowMask = R"(class WindowMask(nn.Module):
    """-100 for places that a shift brought together (arXiv 2103.14030). x is not read."""

    def __init__(self, size, window_size, shift_size):
        super().__init__()
        self.size, self.window_size, self.shift_size = size, window_size, shift_size

    def forward(self, x):
        axes = len(self.size)
        parts = []
        for size, window, shift in zip(self.size, self.window_size, self.shift_size):
            last, moved = size - window, size - (shift or window)
            parts.append((slice(0, last), slice(last, moved), slice(moved, size)))
        image = torch.zeros(1, *self.size, 1, device=x.device)
        for count, part in enumerate(itertools.product(*parts)):
            image[(slice(None), *part)] = count
        split = []
        for size, window in zip(self.size, self.window_size):
            split += [size // window, window]
        order = [0, *range(1, 2 * axes, 2), *range(2, 2 * axes + 1, 2), 2 * axes + 1]
        windows = image.view(1, *split, 1).permute(order).contiguous()
        windows = windows.view(-1, math.prod(self.window_size))
        mask = windows.unsqueeze(1) - windows.unsqueeze(2)
        mask = mask.masked_fill(mask != 0, -100.0).masked_fill(mask == 0, 0.0)
        return mask.unsqueeze(1).unsqueeze(0)
)";

}  // namespace

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

std::vector<python::Source<WindowMask>> About<WindowMask>::sources() {
    return {{kWindowMask}};
}

}  // namespace highwater::stack
