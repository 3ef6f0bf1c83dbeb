#include "core/stack/layer_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <type_traits>

#include "core/base/text.h"
#include "core/stack/activations.h"
#include "core/stack/axis_size.h"
#include "core/stack/limits.h"

namespace highwater::stack {

using base::Error;
using base::Result;

namespace {

/// PyTorch refuses the statistics of a single value: "Expected more than 1 value per channel when training".
std::optional<Error> checkStatistics(const Shape& input, std::int64_t perChannel, std::string_view over) {
    for (std::size_t i = 2; i < input.size(); ++i) {
        if (input[i] != 1) {
            return std::nullopt;
        }
    }
    if (perChannel != 1) {
        return std::nullopt;
    }
    return Error{fmt::format("has one value a channel to normalise over ({}); at least 2 are needed", over)};
}

Result<LayerRule> normRule(const Norm& op, const Shape& input, bool train) {
    const std::int64_t channels = input[1];
    std::optional<Error> error;
    if (op.kind == Norm::Kind::Group) {
        error = outside("num_groups", op.numGroups, 1, kMostSize);
        if (!error && channels % op.numGroups != 0) {
            error = Error{
                fmt::format("num_groups {} does not divide the {} input channels", op.numGroups, channels)};
        }
        if (!error && channels == op.numGroups) {
            error = checkStatistics(input, input[0], "batch and spatial size 1, one channel a group");
        }
    } else if (op.kind == Norm::Kind::Instance) {
        error = checkStatistics(input, 1, "spatial size 1");
    } else if (train) {
        error = checkStatistics(input, input[0], "batch and spatial size 1");
    }
    if (error) {
        return *error;
    }
    return LayerRule{input, op.affine ? 2 * channels : 0};
}

Result<LayerRule> abnRule(const InplaceAbn& op, const Shape& input, bool train) {
    if (!(op.negativeSlope > 0)) {
        return Error{"negative_slope must be above 0: only then can the activation be inverted"};
    }
    if (train) {
        if (auto error = checkStatistics(input, input[0], "batch and spatial size 1")) {
            return *error;
        }
    }
    return LayerRule{input, 2 * input[1]};
}

Result<LayerRule> activationRule(const Activation& op, const Shape& input) {
    if (op.inplace && !factsOf(op.kind).hasInplaceForm) {
        return Error{"has no in-place form; set inplace to false"};
    }
    if (op.kind == Activation::Kind::LeakyRelu && op.inplace && op.negativeSlope < 0) {
        return Error{"in place needs a negative_slope of at least 0; set inplace to false"};
    }
    return LayerRule{input, 0};
}

Result<LayerRule> preluRule(const Prelu& op, const Shape& input) {
    if (op.numParameters != 1 && op.numParameters != input[1]) {
        return Error{fmt::format("num_parameters {} must be 1 or as many as the {}", op.numParameters,
                                 base::counted(input[1], "input channel"))};
    }
    return LayerRule{input, op.numParameters};
}

Result<LayerRule> softmaxRule(const Softmax& op, const Shape& input) {
    const int axes = static_cast<int>(input.size());
    const int dim = op.dim < 0 ? op.dim + axes : op.dim;
    if (dim < 1 || dim >= axes) {
        return Error{fmt::format(
            "dim {} is {}; use 1 (the channels) to {}", op.dim,
            dim == 0 ? "the batch, whose samples are independent" : "no axis of the input", axes - 1)};
    }
    return LayerRule{input, 0};
}

Result<LayerRule> poolRule(const Pool& op, const Shape& input) {
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

Result<LayerRule> adaptivePoolRule(const AdaptivePool& op, const Shape& input) {
    const auto size = perAxis(op.outputSize, dimsOf(input), "output_size", 1, kMostSize);
    if (!size) {
        return size.error();
    }
    Shape output = {input[0], input[1]};
    output.insert(output.end(), size->begin(), size->begin() + dimsOf(input));
    return LayerRule{std::move(output), 0};
}

std::optional<Error> checkPadCount(const Pad& op, int dims) {
    const auto given = static_cast<int>(op.padding.size());
    const bool constant = op.mode == PaddingMode::Zeros;  // PyTorch: other modes pad all spatial axes
    if (given % 2 == 0 && (constant ? given >= 2 && given <= 2 * (dims + 2) : given == 2 * dims)) {
        return std::nullopt;
    }
    return Error{fmt::format(
        "padding has {} for a {}d input; give {}, before and after each axis, the last axis first",
        base::counted(given, "number"), dims,
        constant ? fmt::format("2 to {}", 2 * (dims + 2)) : fmt::format("{}", 2 * dims))};
}

Result<LayerRule> padRule(const Pad& op, const Shape& input) {
    const int dims = dimsOf(input), axes = dims + 2;
    if (auto error = checkPadCount(op, dims)) {
        return *error;
    }
    for (const std::int64_t added : op.padding) {
        if (auto error = outside("padding", added, 0, kMostExtent)) {
            return *error;
        }
    }
    if (addedTo(op, axes, 0) != std::array<std::int64_t, 2>{0, 0}) {
        return Error{"adds samples to the batch; its last two numbers must be 0"};
    }
    const auto [before, after] = addedTo(op, axes, 1);
    Shape output = {input[0], input[1] + before + after};
    for (int axis = 0; axis < dims; ++axis) {
        const auto a = static_cast<std::size_t>(axis);
        for (const std::int64_t added : addedTo(op, axes, axis + 2)) {
            if (auto error = checkPaddingMode(op.mode, added, input[a + 2], axisName(dims, axis))) {
                return *error;
            }
        }
        output.push_back(outputSize(input[a + 2], op, dims, a));
    }
    return LayerRule{std::move(output), 0};
}

Result<LayerRule> cropRule(const Crop& op, const Shape& input) {
    const int dims = dimsOf(input);
    const auto start = perAxis(op.start, dims, "start", 0, kMostSize);
    if (!start) {
        return start.error();
    }
    const auto size = perAxis(op.size, dims, "size", 1, kMostSize);
    if (!size) {
        return size.error();
    }
    Shape output = {input[0], input[1]};
    for (int axis = 0; axis < dims; ++axis) {
        const auto a = static_cast<std::size_t>(axis);
        if ((*start)[a] + (*size)[a] > input[a + 2]) {
            return Error{fmt::format("keeps {} from {} on, along {}, of an input of {}; they must lie in it",
                                     (*size)[a], (*start)[a], axisName(dims, axis), input[a + 2])};
        }
        output.push_back((*size)[a]);
    }
    return LayerRule{std::move(output), 0};
}

Result<LayerRule> localResponseNormRule(const LocalResponseNorm& op, const Shape& input) {
    if (auto error = outside("size", op.size, 1, kMostExtent)) {
        return *error;
    }
    return LayerRule{input, 0};
}

Result<LayerRule> layerNormRule(const LayerNorm& op, const Shape& input) {
    const Shape& shape = op.normalizedShape;
    const bool fits = !shape.empty() && shape.size() < input.size() &&
                      std::equal(shape.rbegin(), shape.rend(), input.rbegin());
    if (!fits) {
        return Error{
            fmt::format("normalized_shape {} is not how its input {} ends; give {}, or fewer of them from "
                        "the end",
                        base::formatShape(shape), base::formatShape(input),
                        base::formatShape(std::span(input).subspan(1)))};
    }
    const auto weights = weightCount({}, shape, static_cast<int>(shape.size()));
    if (!weights) {
        return weights.error();
    }
    return LayerRule{input, op.affine ? 2 * *weights : 0};
}

Result<LayerRule> flattenRule(const Shape& input) {
    std::int64_t features = 1;
    for (auto size = input.begin() + 1; size != input.end(); ++size) {
        features = std::min(features * *size, kMostSize + 1);  // what is larger is refused as an output
    }
    return LayerRule{{input[0], features}, 0};
}

Result<LayerRule> linearRule(const Linear& op, const Shape& input) {
    if (auto error = outside("out_features", op.outFeatures, 1, kMostSize)) {
        return *error;
    }
    const auto weights = weightCount({op.outFeatures, input.back()}, Sizes{1}, 0);
    if (!weights) {
        return weights.error();
    }
    Shape output = input;
    output.back() = op.outFeatures;
    return LayerRule{std::move(output), *weights + (op.bias ? op.outFeatures : 0)};
}

std::optional<Error> checkMode(const Upsample& op, int dims) {
    static constexpr std::array<std::string_view, 4> names = {"nearest", "linear", "bilinear", "trilinear"};
    const auto mode = static_cast<int>(op.mode);
    if (op.mode != Upsample::Mode::Nearest && mode != dims) {
        return Error{fmt::format("mode {} is for {}d, the input is {}d; use {} or nearest",
                                 names[static_cast<std::size_t>(mode)], mode, dims,
                                 names[static_cast<std::size_t>(dims)])};
    }
    if (op.mode == Upsample::Mode::Nearest && op.alignCorners) {
        return Error{fmt::format("align_corners needs mode {}; nearest has none",
                                 names[static_cast<std::size_t>(dims)])};
    }
    return std::nullopt;
}

Result<LayerRule> upsampleRule(const Upsample& op, const Shape& input) {
    const int dims = dimsOf(input);
    if (auto error = checkMode(op, dims)) {
        return *error;
    }
    Shape output = {input[0], input[1]};
    if (!op.size.empty()) {
        const auto size = perAxis(op.size, dims, "size", 1, kMostSize);
        if (!size) {
            return size.error();
        }
        output.insert(output.end(), size->begin(), size->begin() + dims);
        return LayerRule{std::move(output), 0};
    }
    const std::size_t given = op.scaleFactor.size();
    if (given != 1 && given != static_cast<std::size_t>(dims)) {
        return Error{fmt::format("scale_factor has {} numbers for a {}d input; give one, or one an axis",
                                 given, dims)};
    }
    for (int axis = 0; axis < dims; ++axis) {
        const auto a = static_cast<std::size_t>(axis);
        const double scale = op.scaleFactor[given == 1 ? 0 : a];
        if (!(scale > 0 && scale <= kMostScale)) {
            return Error{
                fmt::format("scale_factor must be above 0 and at most {}, not {}", kMostScale, scale)};
        }
        const std::int64_t size = scaledSize(input[a + 2], scale);
        if (size == 0) {
            return Error{fmt::format("scale_factor {} leaves nothing of an input of {} along {}", scale,
                                     input[a + 2], axisName(dims, axis))};
        }
        output.push_back(size);
    }
    return LayerRule{std::move(output), 0};
}

Result<LayerRule> dropoutRule(const Dropout& op, const Shape& input) {
    if (!(op.p >= 0 && op.p <= 1)) {
        return Error{fmt::format("p must be from 0 to 1, not {}", op.p)};
    }
    return LayerRule{input, 0};
}

struct RuleVisitor {
    const Shape& input;
    bool train;
    Result<LayerRule> operator()(const Conv& op) const { return convRule(op, input); }
    Result<LayerRule> operator()(const ConvTranspose& op) const { return convTransposeRule(op, input); }
    Result<LayerRule> operator()(const SeparableConv& op) const { return separableConvRule(op, input); }
    Result<LayerRule> operator()(const CustomConv& op) const { return customConvRule(op, input); }
    Result<LayerRule> operator()(const Norm& op) const { return normRule(op, input, train); }
    Result<LayerRule> operator()(const InplaceAbn& op) const { return abnRule(op, input, train); }
    Result<LayerRule> operator()(const Activation& op) const { return activationRule(op, input); }
    Result<LayerRule> operator()(const Prelu& op) const { return preluRule(op, input); }
    Result<LayerRule> operator()(const Softmax& op) const { return softmaxRule(op, input); }
    Result<LayerRule> operator()(const Pool& op) const { return poolRule(op, input); }
    Result<LayerRule> operator()(const AdaptivePool& op) const { return adaptivePoolRule(op, input); }
    Result<LayerRule> operator()(const Upsample& op) const { return upsampleRule(op, input); }
    Result<LayerRule> operator()(const Dropout& op) const { return dropoutRule(op, input); }
    Result<LayerRule> operator()(const StochasticDepth& op) const { return stochasticDepthRule(op, input); }
    Result<LayerRule> operator()(const Scale&) const { return LayerRule{input, 0}; }
    Result<LayerRule> operator()(const Learned& op) const { return learnedRule(op, input); }
    Result<LayerRule> operator()(const Reshape& op) const { return reshapeRule(op, input); }
    Result<LayerRule> operator()(const Permute& op) const { return permuteRule(op, input); }
    Result<LayerRule> operator()(const Select& op) const { return selectRule(op, input); }
    Result<LayerRule> operator()(const Slice& op) const { return sliceRule(op, input); }
    Result<LayerRule> operator()(const Roll& op) const { return rollRule(op, input); }
    Result<LayerRule> operator()(const RelativePositionBias& op) const {
        return relativePositionBiasRule(op);
    }
    Result<LayerRule> operator()(const WindowMask& op) const { return windowMaskRule(op); }
    Result<LayerRule> operator()(const Copy&) const { return LayerRule{input, 0}; }
    Result<LayerRule> operator()(const Pad& op) const { return padRule(op, input); }
    Result<LayerRule> operator()(const Crop& op) const { return cropRule(op, input); }
    Result<LayerRule> operator()(const LayerNorm& op) const { return layerNormRule(op, input); }
    Result<LayerRule> operator()(const LocalResponseNorm& op) const {
        return localResponseNormRule(op, input);
    }
    Result<LayerRule> operator()(const Flatten&) const { return flattenRule(input); }
    Result<LayerRule> operator()(const Linear& op) const { return linearRule(op, input); }
    Result<LayerRule> operator()(const Head& op) const { return headRule(op, input); }
    Result<LayerRule> operator()(const Shared&) const { return Error{"needs the layer that it uses again"}; }
    Result<LayerRule> operator()(const Unknown&) const { return Error{"needs the batch"}; }
    Result<LayerRule> operator()(const Merge&) const { return Error{"needs two inputs"}; }
    Result<LayerRule> operator()(const Block&) const { return Error{"holds layers of its own"}; }
};

/// How many axes a layer's input may have: most need N, C and one to three spatial sizes.
struct Axes {
    std::size_t fewest = 3, most = 5;
};

Axes axesOf(const Op& op) {
    const auto is = [&op]<class... T>(std::type_identity<T>...) {
        return (std::holds_alternative<T>(op) || ...);
    };
    if (is(std::type_identity<Activation>(), std::type_identity<Softmax>(), std::type_identity<Dropout>(),
           std::type_identity<StochasticDepth>(), std::type_identity<Scale>(), std::type_identity<Learned>(),
           std::type_identity<Flatten>(), std::type_identity<Reshape>(), std::type_identity<Permute>(),
           std::type_identity<Select>(), std::type_identity<Slice>(), std::type_identity<Roll>(),
           std::type_identity<RelativePositionBias>(), std::type_identity<WindowMask>(),
           std::type_identity<Copy>(), std::type_identity<Linear>(), std::type_identity<LayerNorm>())) {
        return {2, static_cast<std::size_t>(kMostAxes)};
    }
    const auto* norm = std::get_if<Norm>(&op);
    const bool flat = std::holds_alternative<Prelu>(op) || (norm && norm->kind != Norm::Kind::Instance);
    return flat ? Axes{2, 5} : Axes{};
}

}  // namespace

Result<LayerRule> layerRule(const Op& op, const Shape& input, bool train) {
    const Axes axes = axesOf(op);
    if (input.size() < axes.fewest) {
        return Error{
            fmt::format("needs spatial axes, which its input of {} has no more; put it before the flatten",
                        base::formatShape(input))};
    }
    if (input.size() > axes.most) {
        return Error{fmt::format("takes at most {} axes, its input {} has {}", axes.most,
                                 base::formatShape(input), input.size())};
    }
    return std::visit(RuleVisitor{input, train}, op);
}

}  // namespace highwater::stack
