#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/overloaded.h"
#include "core/stack/activations.h"
#include "core/stack/export/parts.h"
#include "core/stack/export/python_text.h"

namespace highwater::stack::python {

namespace {

using Arguments = std::vector<std::string>;

/// The place in the network for which a module is made.
struct Place {
    int dims;
    std::int64_t channels;
    std::int64_t features;  ///< of the last axis
    int runs;
};

std::string number(std::int64_t value) {
    return fmt::format("{}", value);
}

bool all(const Sizes& sizes, std::int64_t value) {
    for (const std::int64_t size : sizes) {
        if (size != value) {
            return false;
        }
    }
    return true;
}

void add(Arguments& arguments, const char* name, const Sizes& value, std::int64_t standard) {
    if (!all(value, standard)) {
        arguments.push_back(fmt::format("{}={}", name, sizes(value)));
    }
}

void add(Arguments& arguments, const char* name, double value, double standard) {
    if (value != standard) {
        arguments.push_back(fmt::format("{}={}", name, literal(value)));
    }
}

void addFlag(Arguments& arguments, const char* name, bool value, bool standard) {
    if (value != standard) {
        arguments.push_back(fmt::format("{}={}", name, literal(value)));
    }
}

void addPadding(Arguments& arguments, const Padding& padding, PaddingMode mode) {
    constexpr const char* kModes[] = {"zeros", "reflect", "replicate", "circular"};
    if (padding.same) {
        arguments.push_back("padding=\"same\"");
    } else {
        add(arguments, "padding", padding.sizes, 0);
    }
    if (mode != PaddingMode::Zeros) {
        arguments.push_back(fmt::format("padding_mode=\"{}\"", kModes[static_cast<int>(mode)]));
    }
}

/// A tensor of N, C goes to a norm of one axis.
std::string withDims(const char* name, int dims) {
    return fmt::format("nn.{}{}d", name, std::max(dims, 1));
}

template <class C>
Module convolution(const C& conv, std::int64_t in, std::int64_t out, std::int64_t groups, int dims) {
    Arguments a = {number(in), number(out), sizes(conv.kernelSize)};
    add(a, "stride", conv.stride, 1);
    addPadding(a, conv.padding, conv.paddingMode);
    add(a, "dilation", conv.dilation, 1);
    add(a, "groups", Sizes{groups}, 1);
    addFlag(a, "bias", conv.bias, true);
    return {withDims("Conv", dims), a, {}, {}};
}

Module pointwise(std::int64_t in, std::int64_t out, bool bias, int dims) {
    Arguments a = {number(in), number(out), "1"};
    addFlag(a, "bias", bias, true);
    return {withDims("Conv", dims), a, {}, {}};
}

Module make(const Conv& conv, const Place& at) {
    return convolution(conv, at.channels, conv.outChannels, conv.groups, at.dims);
}

Module make(const ConvTranspose& conv, const Place& at) {
    Arguments a = {number(at.channels), number(conv.outChannels), sizes(conv.kernelSize)};
    add(a, "stride", conv.stride, 1);
    add(a, "padding", conv.padding, 0);
    add(a, "output_padding", conv.outputPadding, 0);
    add(a, "groups", Sizes{conv.groups}, 1);
    addFlag(a, "bias", conv.bias, true);
    add(a, "dilation", conv.dilation, 1);
    return {withDims("ConvTranspose", at.dims), a, {}, {}};
}

/// Depthwise, then pointwise.
Module make(const SeparableConv& conv, const Place& at) {
    const std::int64_t deep = at.channels * conv.depthMultiplier;
    return {"nn.Sequential",
            {},
            {convolution(conv, at.channels, deep, at.channels, at.dims),
             pointwise(deep, conv.outChannels, conv.bias, at.dims)},
            {}};
}

Module make(const CustomConv& conv, const Place& at) {
    constexpr const char* kKernels[] = {"gaussian", "laplacian", "random"};
    constexpr const char* kClasses[] = {"NaiveCustomConv", "CustomConv", "CachedCustomConv", "CustomConv"};
    Arguments a = {number(at.dims), number(at.channels), number(conv.transformChannels),
                   number(conv.outChannels), sizes(conv.kernelSize)};
    a.push_back(fmt::format("\"{}\"", kKernels[static_cast<int>(conv.kernel)]));
    addPadding(a, conv.padding, PaddingMode::Zeros);
    addFlag(a, "bias", conv.bias, true);
    const bool fused = conv.implementation == CustomConv::Implementation::Fused;
    return {kClasses[static_cast<int>(conv.implementation)],
            a,
            {},
            fused ? "in two steps: PyTorch has no fused kernel" : ""};
}

Module make(const Norm& norm, const Place& at) {
    if (norm.kind == Norm::Kind::Group) {
        Arguments a = {number(norm.numGroups), number(at.channels)};
        add(a, "eps", norm.eps, 1e-5);
        addFlag(a, "affine", norm.affine, true);
        return {"nn.GroupNorm", a, {}, {}};
    }
    const bool batch = norm.kind == Norm::Kind::Batch;
    Module made{withDims(batch ? "BatchNorm" : "InstanceNorm", at.dims), {number(at.channels)}, {}, {}};
    add(made.arguments, "eps", norm.eps, 1e-5);
    addFlag(made.arguments, "affine", norm.affine, batch);
    // Two updates of the statistics with momentum m have the effect of one with 1 - (1 - m)^2.
    if (batch && at.runs > 1) {
        made.arguments.push_back(fmt::format("momentum=1 - 0.9 ** (1 / {})", at.runs));
        made.remark = fmt::format("0.1, but it runs {} times a step", at.runs);
    }
    return made;
}

Arguments numbers(const Sizes& values) {
    Arguments texts;
    for (const std::int64_t value : values) {
        texts.push_back(number(value));
    }
    return texts;
}

std::string list(const Sizes& values) {
    return tuple(numbers(values));
}

Module make(const LayerNorm& norm, const Place&) {
    Arguments a = {list(norm.normalizedShape)};
    add(a, "eps", norm.eps, 1e-5);
    addFlag(a, "elementwise_affine", norm.affine, true);
    return {"nn.LayerNorm", a, {}, {}};
}

Module make(const LocalResponseNorm& norm, const Place&) {
    Arguments a = {number(norm.size)};
    add(a, "alpha", norm.alpha, 1e-4);
    add(a, "beta", norm.beta, 0.75);
    add(a, "k", norm.k, 1);
    return {"nn.LocalResponseNorm", a, {}, {}};
}

/// One number for each of so many axes.
Sizes each(const Sizes& values, int dims) {
    return values.size() == 1 ? Sizes(static_cast<std::size_t>(dims), values.front()) : values;
}

Module make(const Crop& crop, const Place& at) {
    return {"Crop", {list(each(crop.start, at.dims)), list(each(crop.size, at.dims))}, {}, {}};
}

Module make(const Pad& pad, const Place&) {
    constexpr const char* kModes[] = {"constant", "reflect", "replicate", "circular"};
    Arguments a = {list(pad.padding)};
    if (pad.mode != PaddingMode::Zeros) {
        a.push_back(fmt::format("\"{}\"", kModes[static_cast<int>(pad.mode)]));
    } else if (pad.value != 0) {
        a.push_back("value=" + literal(pad.value));
    }
    return {"Pad", a, {}, {}};
}

Module make(const InplaceAbn& abn, const Place& at) {
    const bool elu = abn.activation == InplaceAbn::Function::Elu;
    Arguments a = {number(at.channels)};
    add(a, "eps", abn.eps, 1e-5);
    if (elu) {
        a.push_back("activation=\"elu\"");
    } else {
        add(a, "negative_slope", abn.negativeSlope, 0.01);
    }
    Module made{"InPlaceABN", a, {}, {}};
    if (at.runs > 1) {
        made.arguments.push_back(fmt::format("momentum=1 - 0.9 ** (1 / {})", at.runs));
        made.remark = fmt::format("0.1, but it runs {} times a step", at.runs);
    }
    return made;
}

Module make(const Activation& activation, const Place&) {
    constexpr const char* kNames[] = {"nn.ReLU",      "nn.LeakyReLU",   "nn.ELU",  "nn.GELU",
                                      "nn.SiLU",      "nn.Sigmoid",     "nn.Tanh", "nn.ReLU6",
                                      "nn.Hardswish", "nn.Hardsigmoid", "nn.Mish"};
    Arguments a;
    if (activation.kind == Activation::Kind::LeakyRelu) {
        a.push_back(literal(activation.negativeSlope));
    }
    if (factsOf(activation.kind).hasInplaceForm) {
        addFlag(a, "inplace", activation.inplace, false);
    }
    return {kNames[static_cast<int>(activation.kind)], a, {}, {}};
}

Module make(const Prelu& prelu, const Place&) {
    Arguments a;
    add(a, "num_parameters", Sizes{prelu.numParameters}, 1);
    return {"nn.PReLU", a, {}, {}};
}

Module make(const Softmax& softmax, const Place&) {
    return {"nn.Softmax", {fmt::format("dim={}", softmax.dim)}, {}, {}};
}

Module make(const Scale& scale, const Place&) {
    return {scale.kind == Scale::Kind::Scale ? "Scale" : "Offset", {literal(scale.value)}, {}, {}};
}

Module make(const Pool& pool, const Place& at) {
    Arguments a = {sizes(pool.kernelSize)};
    if (!pool.stride.empty()) {
        a.push_back("stride=" + sizes(pool.stride));
    }
    add(a, "padding", pool.padding, 0);
    addFlag(a, "ceil_mode", pool.ceilMode, false);
    return {withDims(pool.kind == Pool::Kind::Max ? "MaxPool" : "AvgPool", at.dims), a, {}, {}};
}

std::string factors(const std::vector<double>& values) {
    if (values.size() == 1) {
        return literal(values.front());
    }
    Arguments texts;
    for (const double value : values) {
        texts.push_back(literal(value));
    }
    return tuple(texts);
}

Module make(const AdaptivePool& pool, const Place& at) {
    const bool max = pool.kind == AdaptivePool::Kind::Max;
    return {withDims(max ? "AdaptiveMaxPool" : "AdaptiveAvgPool", at.dims), {sizes(pool.outputSize)}, {}, {}};
}

Module make(const Flatten&, const Place&) {
    return {"nn.Flatten", {}, {}, {}};
}

Module make(const Reshape& reshape, const Place&) {
    return {"Reshape", numbers(reshape.shape), {}, {}};
}

Module make(const Permute& permute, const Place&) {
    return {"Permute", numbers(permute.dims), {}, {}};
}

Module make(const Select& select, const Place&) {
    return {"Select", numbers({select.dim, select.index}), {}, {}};
}

Module make(const Slice& slice, const Place&) {
    return {"Slice", numbers({slice.dim, slice.start, slice.end, slice.step}), {}, {}};
}

Module make(const Roll& roll, const Place&) {
    return {"Roll", {list(roll.shifts), list(roll.dims)}, {}, {}};
}

Module make(const RelativePositionBias& bias, const Place&) {
    Arguments a = {list(bias.windowSize), number(bias.numHeads)};
    if (bias.places != 0) {
        a.push_back(fmt::format("places={}", bias.places));
    }
    addFlag(a, "copy_index", bias.copyIndex, false);
    return {"RelativePositionBias", a, {}, {}};
}

Module make(const WindowMask& mask, const Place&) {
    return {"WindowMask", {list(mask.size), list(mask.windowSize), list(mask.shiftSize)}, {}, {}};
}

Module make(const Copy& copy, const Place&) {
    return {copy.kind == Copy::Kind::Clone ? "Clone" : "Contiguous", {}, {}, {}};
}

Module make(const Learned& learned, const Place&) {
    constexpr std::array<const char*, 3> names = {"LayerScale", "PositionEmbedding", "ClassToken"};
    return {names[static_cast<std::size_t>(learned.kind)], numbers(learned.shape), {}, {}};
}

Module make(const StochasticDepth& depth, const Place&) {
    Arguments a = {literal(depth.p)};
    if (depth.mode == StochasticDepth::Mode::Batch) {
        a.emplace_back("\"batch\"");
    }
    addFlag(a, "scale_by_keep", depth.scaleByKeep, true);
    return {"StochasticDepth", a, {}, {}};
}

Module make(const Linear& linear, const Place& at) {
    Arguments a = {number(at.features), number(linear.outFeatures)};
    addFlag(a, "bias", linear.bias, true);
    return {"nn.Linear", a, {}, {}};
}

std::string upsampledSize(const Sizes& size) {
    return size.size() == 1 ? sizes(size) : list(size);
}

Module make(const Upsample& upsample, const Place&) {
    constexpr const char* kModes[] = {"nearest", "linear", "bilinear", "trilinear"};
    Arguments a;
    if (upsample.size.empty()) {
        a.push_back("scale_factor=" + factors(upsample.scaleFactor));
    } else {
        a.push_back("size=" + upsampledSize(upsample.size));
    }
    a.push_back(fmt::format("mode=\"{}\"", kModes[static_cast<int>(upsample.mode)]));
    if (upsample.mode != Upsample::Mode::Nearest) {
        a.push_back("align_corners=" + literal(upsample.alignCorners));
    }
    return {"nn.Upsample", a, {}, {}};
}

Module make(const Dropout& dropout, const Place& at) {
    const bool feature = dropout.feature && at.dims > 0;  // of N, C each value is a whole channel
    return {feature ? withDims("Dropout", at.dims) : "nn.Dropout", {literal(dropout.p)}, {}, {}};
}

Module make(const Head& head, const Place& at) {
    return pointwise(at.channels, head.outChannels, head.bias, at.dims);
}

std::string text(const Module& module, const std::string& before, const std::string& after, int indent) {
    const std::string margin(static_cast<std::size_t>(indent), ' ');
    const std::string remark = module.remark.empty() ? "" : "  # " + module.remark;
    if (module.inside.empty()) {
        const std::string line = call(indent, before + module.name, module.arguments, after + remark);
        if (remark.empty() || line.find('\n') + 1 == line.size()) {
            return line;
        }
        return margin + remark.substr(2) + "\n" + call(indent, before + module.name, module.arguments, after);
    }
    std::string lines = margin + before + module.name + "(\n";
    for (const Module& each : module.inside) {
        lines += text(each, "", ",", indent + 4);
    }
    return lines + margin + ")" + after + "\n";
}

}  // namespace

Module moduleOf(const Op& op, const Shape& input, int runs) {
    const Place place{static_cast<int>(input.size()) - 2, input[1], input.back(), runs};
    return std::visit(
        base::Overloaded{[](const Merge&) -> Module { return {}; }, [](const Block&) -> Module { return {}; },
                         [](const Shared&) -> Module { return {}; },
                         [](const Unknown&) -> Module { return {}; },
                         [&](const auto& layer) { return make(layer, place); }},
        op);
}

std::string assignment(const Module& module, const std::string& name, int indent) {
    return text(module, "self." + name + " = ", "", indent);
}

}  // namespace highwater::stack::python
