#include "core/stack/onnx/shapes.h"

#include <algorithm>
#include <set>

#include "core/layers/limits.h"

namespace highwater::stack::onnx {

namespace {

bool fits(const Whole& sizes, std::size_t count, std::int64_t least) {
    return sizes.size() == count && std::all_of(sizes.begin(), sizes.end(), [least](std::int64_t size) {
               return size >= least && size <= kMostExtent;
           });
}

/// The axes given to Squeeze and Unsqueeze, counted from the front.
std::optional<std::set<std::size_t>> axesOf(Op& op, std::size_t count) {
    const auto listed = op.listed("axes", 1);
    if (!listed) {
        return std::nullopt;
    }
    std::set<std::size_t> axes;
    for (const std::int64_t axis : *listed) {
        const std::int64_t from = axis < 0 ? axis + static_cast<std::int64_t>(count) : axis;
        if (from < 0 || from >= static_cast<std::int64_t>(count)) {
            return std::nullopt;
        }
        axes.insert(static_cast<std::size_t>(from));
    }
    return axes.size() == listed->size() ? std::optional(axes) : std::nullopt;
}

}  // namespace

bool isShape(const Shape& shape) {
    return pytorch::contiguousMeta(shape, pytorch::kFloat, "").ok();
}

std::optional<Shape> broadcast(const Shape& a, const Shape& b) {
    Shape made(std::max(a.size(), b.size()), 1);
    for (std::size_t i = 0; i < made.size(); ++i) {
        const std::int64_t one = i < a.size() ? a[a.size() - 1 - i] : 1;
        const std::int64_t other = i < b.size() ? b[b.size() - 1 - i] : 1;
        if (one != other && one != 1 && other != 1) {
            return std::nullopt;
        }
        made[made.size() - 1 - i] = one == 1 ? other : one;
    }
    return isShape(made) ? std::optional(made) : std::nullopt;
}

std::optional<Shape> reshaped(Op& op) {
    const auto wanted = op.listed("", 1);
    const Shape& from = op.in(0).shape;
    if (!wanted || !op.in(0).sized) {
        return std::nullopt;
    }
    Shape made = *wanted;
    const bool keepsZero = op.integer("allowzero", 0) != 0;
    std::optional<std::size_t> open;
    for (std::size_t axis = 0; axis < made.size(); ++axis) {
        if (made[axis] == 0 && !keepsZero) {
            made[axis] = axis < from.size() ? from[axis] : 0;
        }
        if (made[axis] == -1 && !open) {
            open = axis;
            made[axis] = 1;
        }
    }
    if (!isShape(made)) {
        return std::nullopt;
    }
    const std::int64_t count = pytorch::elements(from), rest = pytorch::elements(made);
    if (open && rest > 0 && count % rest == 0) {
        made[*open] = count / rest;
    }
    return isShape(made) && pytorch::elements(made) == count ? std::optional(made) : std::nullopt;
}

std::optional<Shape> flattened(Op& op) {
    const Shape& from = op.in(0).shape;
    const auto axes = static_cast<std::int64_t>(from.size());
    std::int64_t axis = op.integer("axis", 1);
    axis = axis < 0 ? axis + axes : axis;
    if (!op.in(0).sized || axis < 0 || axis > axes) {
        return std::nullopt;
    }
    return Shape{pytorch::elements({from.begin(), from.begin() + axis}),
                 pytorch::elements({from.begin() + axis, from.end()})};
}

std::optional<Shape> squeezed(Op& op) {
    const Shape& from = op.in(0).shape;
    std::set<std::size_t> axes;
    if (op.has(1) || op.node.attributes.contains("axes")) {
        const auto listed = axesOf(op, from.size());
        if (!listed) {
            return std::nullopt;
        }
        axes = *listed;
    } else {
        for (std::size_t axis = 0; axis < from.size(); ++axis) {
            axes.insert(axis);
        }
    }
    Shape made;
    for (std::size_t axis = 0; axis < from.size(); ++axis) {
        if (!axes.contains(axis) || from[axis] != 1) {
            made.push_back(from[axis]);
        }
    }
    return made;
}

std::optional<Shape> unsqueezed(Op& op) {
    const Shape& from = op.in(0).shape;
    const auto listed = op.listed("axes", 1);
    const auto axes = listed ? axesOf(op, from.size() + listed->size()) : std::nullopt;
    if (!axes) {
        return std::nullopt;
    }
    Shape made;
    for (std::size_t axis = 0, taken = 0; axis < from.size() + axes->size(); ++axis) {
        made.push_back(axes->contains(axis) ? 1 : from[taken++]);
    }
    return isShape(made) ? std::optional(made) : std::nullopt;
}

std::optional<Whole> orderOf(Op& op, std::size_t axes) {
    Whole order = op.integers("perm");
    if (order.empty()) {
        for (std::size_t axis = axes; axis-- > 0;) {
            order.push_back(static_cast<std::int64_t>(axis));
        }
    }
    Whole sorted = order;
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t axis = 0; axis < sorted.size(); ++axis) {
        if (sorted[axis] != static_cast<std::int64_t>(axis)) {
            return std::nullopt;
        }
    }
    return order.size() == axes ? std::optional(order) : std::nullopt;
}

std::optional<std::vector<Cut>> cutsOf(Op& op) {
    const Shape& from = op.in(0).shape;
    const auto starts = op.listed("", 1), ends = op.listed("", 2);
    if (!starts || !ends || !op.in(0).sized || starts->size() != ends->size()) {
        return std::nullopt;
    }
    Whole axes, steps(starts->size(), 1);
    for (std::size_t i = 0; i < starts->size(); ++i) {
        axes.push_back(static_cast<std::int64_t>(i));
    }
    axes = op.has(3) ? op.listed("", 3).value_or(Whole()) : axes;
    steps = op.has(4) ? op.listed("", 4).value_or(Whole()) : steps;
    if (axes.size() != starts->size() || steps.size() != starts->size()) {
        return std::nullopt;
    }
    std::vector<Cut> cuts;
    for (const std::int64_t size : from) {
        cuts.push_back({0, size, 1});
    }
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const std::int64_t axis = axes[i] < 0 ? axes[i] + static_cast<std::int64_t>(from.size()) : axes[i];
        if (axis < 0 || axis >= static_cast<std::int64_t>(from.size()) || steps[i] == 0) {
            return std::nullopt;
        }
        const std::int64_t size = from[static_cast<std::size_t>(axis)], step = steps[i];
        const std::int64_t low = step > 0 ? 0 : -1, high = step > 0 ? size : size - 1;
        const auto bound = [&](std::int64_t at) {
            return std::clamp(at < 0 ? at + size : at, low, std::max(low, high));
        };
        const std::int64_t start = bound((*starts)[i]), end = bound((*ends)[i]);
        const std::int64_t length = step > 0 ? end - start : start - end, stride = std::abs(step);
        cuts[static_cast<std::size_t>(axis)] = {start, length <= 0 ? 0 : (length - 1) / stride + 1, step};
    }
    return cuts;
}

std::optional<Window> windowOf(Op& op, const Whole& kernel) {
    const std::size_t axes = kernel.size();
    Window window{kernel, op.integers("strides", Whole(axes, 1)), op.integers("dilations", Whole(axes, 1)),
                  Whole(axes, 0), Whole(axes, 0)};
    const Whole pads = op.integers("pads", Whole(2 * axes, 0));
    if (!fits(kernel, axes, 1) || !fits(window.stride, axes, 1) || !fits(window.dilation, axes, 1) ||
        !fits(pads, 2 * axes, 0) || op.in(0).shape.size() != axes + 2) {
        op.refuse(op.node.kind + " with such sizes");
        return std::nullopt;
    }
    const std::string word = op.text("auto_pad", "NOTSET");
    for (std::size_t axis = 0; axis < axes; ++axis) {
        if (word == "NOTSET") {
            window.before[axis] = pads[axis];
            window.after[axis] = pads[axes + axis];
        } else if (word.starts_with("SAME")) {
            const std::int64_t size = op.in(0).shape[axis + 2], stride = window.stride[axis];
            const std::int64_t reach = (kernel[axis] - 1) * window.dilation[axis] + 1;
            const std::int64_t all =
                std::max<std::int64_t>(0, ((size + stride - 1) / stride - 1) * stride + reach - size);
            window.before[axis] = word == "SAME_UPPER" ? all / 2 : all - all / 2;
            window.after[axis] = all - window.before[axis];
        }
    }
    return window;
}

/// In ceil_mode the last window must start inside the padded input, as in PyTorch.
std::optional<Shape> slid(const Shape& input, std::int64_t channels, const Window& window, bool ceil) {
    Shape made{input[0], channels};
    for (std::size_t axis = 0; axis < window.kernel.size(); ++axis) {
        const std::int64_t stride = window.stride[axis];
        const std::int64_t reach = (window.kernel[axis] - 1) * window.dilation[axis] + 1;
        const std::int64_t room = input[axis + 2] + window.before[axis] + window.after[axis] - reach;
        if (room < 0) {
            return std::nullopt;
        }
        std::int64_t size = (room + (ceil ? stride - 1 : 0)) / stride + 1;
        if (ceil && (size - 1) * stride >= input[axis + 2] + window.before[axis]) {
            --size;
        }
        made.push_back(size);
    }
    return isShape(made) ? std::optional(made) : std::nullopt;
}

}  // namespace highwater::stack::onnx
