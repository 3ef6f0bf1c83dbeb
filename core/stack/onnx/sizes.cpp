#include <algorithm>
#include <cmath>

#include "core/layers/limits.h"
#include "core/stack/onnx/operators.h"

namespace highwater::stack::onnx {

namespace {

void poolOf(Op& op, const char* stem, Arguments arguments) {
    if (!op.in(0).sized) {
        return;
    }
    const auto window = windowOf(op, op.integers("kernel_shape"));
    if (!window) {
        return;
    }
    const bool ceil = op.integer("ceil_mode", 0) != 0;
    const auto shape = slid(op.in(0).shape, op.in(0).shape[1], *window, ceil);
    if (!shape || !window->even()) {
        return op.refuse(shape ? op.node.kind + " with another padding at each end"
                               : op.node.kind + " with such sizes");
    }
    arguments.emplace_back("self", op.ref(0));
    arguments.emplace_back("kernel_size", window->kernel);
    arguments.emplace_back("stride", window->stride);
    arguments.emplace_back("padding", window->before);
    arguments.emplace_back("ceil_mode", ceil);
    if (std::any_of(window->dilation.begin(), window->dilation.end(), [](auto each) { return each != 1; })) {
        arguments.emplace_back("dilation", window->dilation);
    }
    op.call(named(stem, *shape), arguments, *shape);
}

/// PyTorch's name for a mode of Resize that it supports.
std::string upsampling(Op& op, const Shape& shape) {
    const std::string mode = op.text("mode", "nearest");
    if (mode == "nearest") {
        const bool exact = op.text("coordinate_transformation_mode", "half_pixel") == "half_pixel" &&
                           op.text("nearest_mode", "round_prefer_floor") != "floor";
        return named(exact ? "_upsample_nearest_exact" : "upsample_nearest", shape);
    }
    const char* const linear[] = {"linear", "bilinear", "trilinear"};
    return mode == "linear" ? named(std::string("upsample_") + linear[shape.size() - 3], shape)
                            : named("upsample_bicubic", shape);
}

}  // namespace

void maxPool(Op& op) {
    poolOf(op, "max_pool", {});
}

void averagePool(Op& op) {
    poolOf(op, "avg_pool", {{"count_include_pad", op.integer("count_include_pad", 0) != 0}});
}

void globalPool(Op& op) {
    if (!op.in(0).sized) {
        return;
    }
    Shape shape = op.in(0).shape;
    if (shape.size() < 3) {
        return op.refuse(op.node.kind + " of a tensor without sizes");
    }
    std::fill(shape.begin() + 2, shape.end(), 1);
    const bool average = op.node.kind == "GlobalAveragePool";
    op.call(named(average ? "adaptive_avg_pool" : "adaptive_max_pool", shape),
            {{"self", op.ref(0)}, {"output_size", Whole(shape.size() - 2, 1)}}, shape);
}

void reduceMean(Op& op) {
    if (!op.in(0).sized) {
        return;
    }
    const Shape& from = op.in(0).shape;
    const bool keeps = op.integer("keepdims", 1) != 0;
    Whole axes = op.listed("axes", 1).value_or(Whole());
    std::vector<bool> over(from.size(), axes.empty() && op.integer("noop_with_empty_axes", 0) == 0);
    for (const std::int64_t axis : axes) {
        const std::size_t at = op.axis(axis, from.size());
        if (op.done()) {
            return;
        }
        over[at] = true;
    }
    Shape shape;
    for (std::size_t axis = 0; axis < from.size(); ++axis) {
        if (!over[axis] || keeps) {
            shape.push_back(over[axis] ? 1 : from[axis]);
        }
    }
    op.call("mean", {{"self", op.ref(0)}, {"dim", axes}, {"keepdim", keeps}}, shape);
}

void resize(Op& op) {
    if (!op.in(0).sized) {
        return;
    }
    const Shape from = op.in(0).shape;
    const std::size_t at = op.node.kind == "Upsample" ? 1 : 2;
    const Value &scales = op.in(at), &sizes = op.in(3);
    const auto listed = op.has(3) ? op.listed("", 3) : std::nullopt;
    if (from.size() < 3 || from.size() > 5 || op.node.attributes.contains("axes")) {
        return op.refuse("Resize of other axes than the spatial ones");
    }
    Shape shape = from;
    Arguments arguments{{"input", op.ref(0)}};
    if (listed && sizes.count() == from.size()) {
        shape = *listed;
    } else if (op.has(at) && scales.count() == from.size() && !scales.numbers.empty()) {
        Numbers factors;
        for (std::size_t axis = 0; axis < from.size(); ++axis) {
            const double factor = scales.at(axis);
            if (!(factor > 0 && factor <= kMostScale)) {
                return op.refuse("Resize with such sizes");
            }
            shape[axis] = static_cast<std::int64_t>(std::floor(static_cast<double>(from[axis]) * factor));
            if (axis > 1) {
                factors.push_back(factor);
            }
        }
        arguments.emplace_back("scale_factors", factors);
    } else {
        return op.refuse("Resize to computed sizes");
    }
    if (shape[0] != from[0] || shape[1] != from[1] || !isShape(shape)) {
        return op.refuse("Resize of other axes than the spatial ones");
    }
    arguments.emplace_back("align_corners",
                           op.text("coordinate_transformation_mode", "half_pixel") == "align_corners");
    op.call(upsampling(op, shape), arguments, shape);
}

void pad(Op& op) {
    const auto pads = op.listed("", 1);
    const Shape from = op.in(0).shape;
    if (!op.in(0).sized) {
        return;
    }
    if (!pads || pads->size() != 2 * from.size() || op.has(3)) {
        return op.refuse("pad with computed sizes");
    }
    Shape shape = from;
    Whole last;
    for (std::size_t axis = from.size(); axis-- > 0;) {
        const std::int64_t before = (*pads)[axis], after = (*pads)[axis + from.size()];
        if (before < -from[axis] || after < -from[axis] || before > kMostExtent || after > kMostExtent) {
            return op.refuse("pad with such sizes");
        }
        shape[axis] += before + after;
        last.push_back(before);
        last.push_back(after);
    }
    const bool spatial =
        from.size() > 2 && std::all_of(last.end() - 4, last.end(), [](auto n) { return n == 0; });
    last.resize(spatial ? last.size() - 4 : last.size());
    if (!isShape(shape)) {
        return op.refuse("pad with such sizes");
    }
    const std::string mode = op.text("mode", "constant");
    Arguments arguments{{"self", op.ref(0)}, {"pad", last}};
    arguments.emplace_back("mode", mode == "edge" ? "replicate" : mode == "wrap" ? "circular" : mode);
    if (op.has(2) && op.in(2).isNumber() && op.in(2).at(0) != 0) {
        arguments.emplace_back("value", op.in(2).at(0));
    }
    op.call("pad", arguments, shape);
}

}  // namespace highwater::stack::onnx
