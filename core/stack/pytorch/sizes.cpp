#include <algorithm>
#include <functional>
#include <numeric>

#include "core/stack/pytorch/operators.h"
#include "core/stack/pytorch/view_steps.h"

namespace highwater::stack::pytorch {

namespace {

bool all(const Whole& sizes, std::int64_t least, std::size_t count) {
    return sizes.size() == count &&
           std::all_of(sizes.begin(), sizes.end(), [least](std::int64_t size) { return size >= least; });
}

/// The sizes if ceil_mode is off.
Whole pooled(const Whole& sizes, const Whole& kernel, const Whole& stride, const Whole& padding) {
    Whole out;
    for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
        out.push_back((sizes[axis] + 2 * padding[axis] - kernel[axis]) / stride[axis] + 1);
    }
    return out;
}

std::string whatPoolLeavesOut(Converter& c, const Whole& padding) {
    if (c.has("divisor_override")) {
        return "avg_pool's divisor_override, which changes no memory";
    }
    if (oneOrList(padding) != 0 && !c.boolean("count_include_pad")) {
        return "avg_pool's count_include_pad=False, which changes no memory";
    }
    return "";
}

}  // namespace

void pool(Converter& c) {
    const std::string kind = c.call.name.substr(0, 8);
    const bool average = kind == "avg_pool";
    const std::size_t dims = c.sizeAxes(c.shape());
    const Whole kernel = spread(c.integers("kernel_size"), dims);
    const bool strides = c.has("stride") && !c.integers("stride").empty();
    const Whole stride = strides ? spread(c.integers("stride"), dims) : kernel;
    Whole padding = spread(c.integers("padding"), dims);
    padding.resize(padding.empty() ? dims : padding.size());
    const Whole sizes = spatial(c.shape(c.source()));
    if (!average && oneOrList(c.integers("dilation")) != 1) {
        return c.refuse("max_pool with a dilation");
    }
    if (!all(kernel, 1, dims) || !all(stride, 1, dims) || !all(padding, 0, dims) || sizes.size() != dims) {
        return c.refuse(kind + " with such sizes");
    }
    base::Json layer{{"type", kind}, {"kernel_size", oneOrList(kernel)}};
    c.put(layer, "stride", oneOrList(stride), oneOrList(kernel));
    c.put(layer, "padding", oneOrList(padding), 0);
    const bool matters = pooled(sizes, kernel, stride, padding) != spatial(c.shape());
    c.put(layer, "ceil_mode", c.boolean("ceil_mode") && matters, false);
    c.plain(layer, {.remark = average ? whatPoolLeavesOut(c, padding) : ""});
}

void adaptivePool(Converter& c) {
    const std::size_t dims = c.sizeAxes(c.shape(c.source()));
    const Whole size = spread(c.integers("output_size"), dims);
    c.plain({{"type", c.call.name.substr(0, c.call.name.size() - 2)}, {"output_size", oneOrList(size)}});
    if (!c.failed() && c.call.outputs.size() > 1) {
        c.values.set(c.call.outputs[1], Constant{"the indices of adaptive_max_pool", ""});
    }
}

namespace {

/// Over axes of one element it makes a new tensor with the same elements, like a product with 1.
bool ofOne(Converter& c, const Shape& shape, const Whole& over) {
    const bool one = !over.empty() && std::all_of(over.begin(), over.end(), [&shape](std::int64_t axis) {
        return axis >= 0 && axis < static_cast<std::int64_t>(shape.size()) &&
               shape[static_cast<std::size_t>(axis)] == 1;
    });
    const Activation* held = c.values.activation(c.source());
    if (!one || !held || c.has("dtype") || c.failed() || c.shape().empty()) {
        return false;
    }
    const bool learned = c.trained(c.source());
    const auto value = c.values.read(reshaped(*held, c.values.cell(*held).shape, c.shape()), c.call);
    if (!value) {
        c.refuse(value.error().message);
    } else {
        c.add({{"type", "scale"}, {"value", 1}}, {*value}, learned);
    }
    return true;
}

}  // namespace

namespace {

/// The axes of a tensor, reordered so that those in `over`, which ascend, are at the end.
Whole lastOf(const Whole& over, std::size_t axes) {
    Whole order(axes);
    std::iota(order.begin(), order.end(), 0);
    std::stable_partition(order.begin(), order.end(), [&over](std::int64_t axis) {
        return !std::binary_search(over.begin(), over.end(), axis);
    });
    return order;
}

}  // namespace

/// One value along some axes, which are not the batch.
void reduce(Converter& c) {
    const bool norm = c.call.name == "linalg_vector_norm";
    const std::size_t axes = c.shape(c.source()).size();
    Whole over = c.integers("dim");
    for (std::int64_t& axis : over) {
        axis += axis < 0 ? static_cast<std::int64_t>(axes) : 0;
    }
    const bool fits = !over.empty() && *std::min_element(over.begin(), over.end()) >= 1;
    if (!fits || c.has("dtype") || (norm && c.number("ord") != 2) || c.shape().size() < 2) {
        return c.refuse(c.call.name + " over all axes");
    }
    base::Json layer{{"type", norm ? "vector_norm" : c.call.name}, {"dim", over}};
    c.put(layer, "keepdim", c.boolean("keepdim"), true);
    if (c.call.name == "var") {
        const bool corrects =
            c.has("correction") ? c.number("correction") == 1 : !c.has("unbiased") || c.boolean("unbiased");
        c.put(layer, "correction", corrects ? 1 : 0, 1);
    }
    c.plain(std::move(layer));
}

/// PyTorch replaces an adaptive_avg_pool to 1 by a mean over the spatial axes. So a mean over other axes is
/// this layer after a view that moves them to the end and merges all others except the batch into one axis
/// before them.
void mean(Converter& c) {
    const Ref source = c.source();
    const Shape shape = c.shape(source);
    const auto axes = static_cast<std::int64_t>(shape.size());
    Whole over = c.integers("dim");
    for (std::int64_t& axis : over) {
        axis = axis < 0 ? axis + axes : axis;
    }
    std::sort(over.begin(), over.end());
    if (ofOne(c, shape, over)) {
        return;
    }
    constexpr std::size_t kSpatial = 3;
    const Activation* const held = c.values.activation(source);
    const bool known = held && !over.empty() && over.front() >= 1 && over.back() < axes;
    if (!known || over.size() > kSpatial || c.has("dtype")) {
        return over.size() > kSpatial ? reduce(c) : c.refuse("mean over all axes");
    }
    const Whole order = lastOf(over, shape.size());
    const std::size_t others = shape.size() - over.size() - 1;
    const Shape whole = c.values.cell(*held).shape;
    Activation view = permuted(*held, whole, order);
    Shape before = view.shape;
    if (others != 1) {
        // Several axes can be merged without a copy if they are contiguous.
        if (others > 1 && !(std::is_sorted(order.begin(), order.end()) && c.values.whole(*held))) {
            return reduce(c);
        }
        const auto end = before.begin() + 1 + static_cast<std::ptrdiff_t>(others);
        const std::int64_t joined =
            std::accumulate(before.begin() + 1, end, std::int64_t{1}, std::multiplies<>());
        before.erase(before.begin() + 1, end);
        before.insert(before.begin() + 1, joined);
        view = reshaped(view, whole, before);
    }
    const bool learned = c.trained(source);
    const int value = c.read(view);
    if (c.failed() || c.call.outputs.empty()) {
        return;
    }
    const Step& step =
        c.values.append({{"type", "adaptive_avg_pool"}, {"output_size", 1}}, {value}, c.call.scopes, {});
    Shape pooledTo(before.size(), 1);
    std::copy_n(before.begin(), 2, pooledTo.begin());
    c.view(reshaped(c.values.hold({step.output, pooledTo, learned, false}), pooledTo, c.shape()));
}

void upsample(Converter& c) {
    base::Json layer{{"type", "upsample"}};
    const Argument* const given = c.find("scale_factors");
    if (const auto* factors = given ? std::get_if<std::vector<double>>(given) : nullptr;
        factors && !factors->empty()) {
        base::Json list = base::Json::array();
        for (const double factor : *factors) {
            list.push_back(plainNumber(factor));
        }
        const bool one = std::count(factors->begin(), factors->end(), factors->front()) ==
                         static_cast<std::ptrdiff_t>(factors->size());
        c.put(layer, "scale_factor", one ? list[0] : list, 2);
    } else {
        layer["size"] = oneOrList(spatial(c.shape()));
    }
    std::string mode = c.call.name.substr(sizeof("upsample_") - 1);
    mode.resize(mode.size() - 2);
    c.put(layer, "mode", mode, "nearest");
    c.put(layer, "align_corners", c.boolean("align_corners"), false);
    c.plain(layer);
}

void pad(Converter& c) {
    const Whole padding = c.integers("pad");
    if (std::any_of(padding.begin(), padding.end(), [](std::int64_t size) { return size < 0; })) {
        return c.refuse("pad with negative sizes");
    }
    base::Json layer{{"type", "pad"}, {"padding", padding}};
    c.put(layer, "mode", c.text("mode"), "constant");
    c.put(layer, "value", plainNumber(c.number("value")), 0);
    c.plain(layer);
}

}  // namespace highwater::stack::pytorch
