#include "widgets/stack/option_fields.h"

#include <algorithm>
#include <array>

#include "core/stack/activations.h"
#include "core/stack/limits.h"
#include "widgets/stack/layer_words.h"
#include "widgets/stack/part_fields.h"

namespace highwater::widgets {

namespace {

using stack::kMostExtent;
using stack::kMostSize;

const SizeRule kPositive{.low = 1, .high = kMostExtent};
const SizeRule kZeroUp{.low = 0, .high = kMostExtent};
const SizeRule kMaybe{.low = 1, .high = kMostExtent, .mayBeEmpty = true};
const QStringList kPaddingModes = {"zeros", "reflect", "replicate", "circular"};

template <class T>
void addDims(PartFields<T>& f) {
    f.choice("dims", "How many spatial axes the convolution works on", {"as the input", "1", "2", "3"},
             &T::dims);
}

template <class T>
void addOutChannels(PartFields<T>& f) {
    f.integer("out_channels", "The number of feature maps in the layer's output, whose memory grows with it",
              1, kMostSize, &T::outChannels);
}

template <class T>
void addKernel(PartFields<T>& f) {
    f.sizes("kernel_size", "The size of the window that moves over the input", kPositive, &T::kernelSize);
}

template <class T>
void addStride(PartFields<T>& f) {
    f.sizes("stride", "How far the window moves at a time: 2 halves the output's size", kPositive,
            &T::stride);
}

template <class T>
void addDilation(PartFields<T>& f) {
    f.sizes("dilation", "The distance between the points of the window: 1 is a dense one", kPositive,
            &T::dilation);
}

template <class T>
void addPadding(PartFields<T>& f) {
    f.padding("padding", "How much is added at each side of the input", &T::padding);
}

template <class T>
void addPaddingMode(PartFields<T>& f) {
    f.choice("padding_mode",
             "What the padding is filled with. All but zeros make a padded copy of the input first",
             kPaddingModes, &T::paddingMode);
}

template <class T>
void addGroups(PartFields<T>& f) {
    f.integer("groups", "The number of groups that the channels are split into; groups do not see each other",
              1, kMostSize, &T::groups);
}

template <class T>
void addBias(PartFields<T>& f) {
    f.toggle("bias", "A learned number added to each feature map", &T::bias);
}

template <class T>
void addEps(PartFields<T>& f) {
    f.number("eps", "Added to the variance, so that nothing is divided by zero", 0, 1, &T::eps);
}

void add(PartFields<stack::Conv> f, const stack::Conv&) {
    addOutChannels(f);
    addKernel(f);
    addStride(f);
    addPadding(f);
    addDilation(f);
    addGroups(f);
    addPaddingMode(f);
    addBias(f);
    addDims(f);
}

void add(PartFields<stack::ConvTranspose> f, const stack::ConvTranspose&) {
    using T = stack::ConvTranspose;
    addOutChannels(f);
    addKernel(f);
    f.sizes("stride", "How many times larger the output is", kPositive, &T::stride);
    f.sizes("padding", "How much of the output is cut at each side", kZeroUp, &T::padding);
    f.sizes("output_padding", "Added to one side of the output; less than the stride", kZeroUp,
            &T::outputPadding);
    addDilation(f);
    addGroups(f);
    addBias(f);
    addDims(f);
}

void add(PartFields<stack::SeparableConv> f, const stack::SeparableConv&) {
    addOutChannels(f);
    addKernel(f);
    addStride(f);
    addPadding(f);
    addDilation(f);
    f.integer("depth_multiplier",
              "Feature maps of the depthwise part for each input channel: what it keeps for the backward "
              "pass grows with it",
              1, kMostSize, &stack::SeparableConv::depthMultiplier);
    addPaddingMode(f);
    addBias(f);
    addDims(f);
}

void add(PartFields<stack::CustomConv> f, const stack::CustomConv&) {
    using T = stack::CustomConv;
    f.integer("transform_channels", "Channels after the learned 1 × 1 transform", 1, kMostSize,
              &T::transformChannels);
    f.integer("out_channels",
              "The number of feature maps in the layer's output: a multiple of transform_channels", 1,
              kMostSize, &T::outChannels);
    addKernel(f);
    addPadding(f);
    f.choice("kernel", "The fixed kernel, which is not learned", {"gaussian", "laplacian", "random"},
             &T::kernel);
    f.choice("implementation",
             "Four ways to compute the same result:\n"
             "naive: unfolds the input and multiplies; the slowest, and the most memory\n"
             "two_step: the transform, then the fixed kernel\n"
             "cached: what depends on weights alone is computed once a step\n"
             "fused: one pass that keeps no tensor in between",
             {"naive", "two_step", "cached", "fused"}, &T::implementation);
    addBias(f);
    addDims(f);
}

void add(PartFields<stack::Norm> f, const stack::Norm& norm) {
    using T = stack::Norm;
    if (norm.kind == T::Kind::Group) {
        f.integer("num_groups",
                  "The number of groups in which channels are normalised; it must divide the channels", 1,
                  kMostSize, &T::numGroups);
    }
    addEps(f);
    f.toggle("affine", "A learned scale and shift for each channel", &T::affine);
}

void add(PartFields<stack::LayerNorm> f, const stack::LayerNorm&) {
    using T = stack::LayerNorm;
    f.sizes("normalized_shape",
            "The sizes of the last axes, over which each sample is normalised: C × spatial, "
            "or fewer from the end",
            {.low = 1, .high = kMostSize, .most = stack::kMostNumbers}, &T::normalizedShape);
    addEps(f);
    f.toggle("affine", "A learned scale and shift for each place of these axes", &T::affine);
}

void add(PartFields<stack::LocalResponseNorm> f, const stack::LocalResponseNorm&) {
    using T = stack::LocalResponseNorm;
    f.integer("size", "The number of neighbouring channels whose squares are averaged", 1, kMostExtent,
              &T::size);
    f.number("alpha", "The factor of the average", -1e9, 1e9, &T::alpha);
    f.number("beta", "The power by which is divided", -1e9, 1e9, &T::beta);
    f.number("k", "What is added to the average", -1e9, 1e9, &T::k);
}

void add(PartFields<stack::Crop> f, const stack::Crop&) {
    f.sizes("start", "The first element that is kept along each spatial axis", {.low = 0, .high = kMostSize},
            &stack::Crop::start);
    f.sizes("size", "How many elements are kept along each spatial axis", {.low = 1, .high = kMostSize},
            &stack::Crop::size);
}

void add(PartFields<stack::Pad> f, const stack::Pad&) {
    using T = stack::Pad;
    f.sizes("padding",
            "What is added before and after each spatial axis, the last axis first: 1 × 1 × 0 × 2.\n"
            "Two more numbers are those of the channels",
            {.low = 0, .high = kMostExtent, .most = stack::kMostNumbers}, &T::padding);
    f.choice("mode", "What the padding is filled with", {"constant", "reflect", "replicate", "circular"},
             &T::mode);
    f.number("value", "The constant; for mode constant", -1e9, 1e9, &T::value);
    f.form().when([mode = f.get(&T::mode)](const stack::Experiment& e) {
        return Availability{.shown = mode(e) == stack::PaddingMode::Zeros};
    });
}

void add(PartFields<stack::InplaceAbn> f, const stack::InplaceAbn&) {
    using T = stack::InplaceAbn;
    f.choice("activation",
             "The activation that follows the normalisation. It is inverted in the backward pass, so that "
             "only the output is kept",
             {"leaky_relu", "elu"}, &T::activation);
    f.number("negative_slope", "leaky_relu's slope below zero; above 0, so that it can be inverted", 1e-6, 1,
             &T::negativeSlope);
    f.form().when([activation = f.get(&T::activation)](const stack::Experiment& e) {
        return Availability{.shown = activation(e) == T::Function::LeakyRelu};
    });
    f.number(
        "eps",
        "Added to the variance, and to the size of the weight that the layer scales by, so that nothing is "
        "divided by zero",
        0, 1, &T::eps);
}

void add(PartFields<stack::Activation> f, const stack::Activation& activation) {
    using T = stack::Activation;
    if (stack::factsOf(activation.kind).hasInplaceForm) {
        f.toggle("inplace", "Overwrite the input instead of keeping both: saves one output", &T::inplace);
    }
    if (activation.kind == T::Kind::LeakyRelu) {
        f.number("negative_slope", "The slope below zero", -1e9, 1e9, &T::negativeSlope);
    }
}

void add(PartFields<stack::Prelu> f, const stack::Prelu&) {
    f.integer("num_parameters",
              "Learned slopes below zero: 1 for all channels, or as many as there are channels", 1, kMostSize,
              &stack::Prelu::numParameters);
}

void add(PartFields<stack::Softmax> f, const stack::Softmax&) {
    f.integer("dim", "The axis along which the values sum to 1: 1 is the channels, -1 the last axis",
              -stack::kMostAxes, stack::kMostAxes - 1, &stack::Softmax::dim);
}

void add(PartFields<stack::Scale> f, const stack::Scale& scale) {
    f.number("value",
             scale.kind == stack::Scale::Kind::Scale
                 ? "A constant that the input is multiplied by; it is not learned"
                 : "A constant that is added to the input; it is not learned",
             -1e9, 1e9, &stack::Scale::value);
}

void add(PartFields<stack::Pool> f, const stack::Pool&) {
    using T = stack::Pool;
    addKernel(f);
    f.sizes("stride", "How far the window moves at a time; empty: the kernel's size", kMaybe, &T::stride);
    f.sizes("padding", "How much is added at each side; at most half the kernel", kZeroUp, &T::padding);
    f.toggle("ceil_mode", "A last window that lies partly outside the input counts too", &T::ceilMode);
}

void add(PartFields<stack::AdaptivePool> f, const stack::AdaptivePool&) {
    f.sizes("output_size", "The output's spatial sizes, whatever the input's are: 1 is one value a channel",
            kPositive, &stack::AdaptivePool::outputSize);
}

void add(const PartFields<stack::Flatten>&, const stack::Flatten&) {}

constexpr auto kAxes = static_cast<std::size_t>(stack::kMostAxes);

void add(PartFields<stack::Reshape> f, const stack::Reshape&) {
    f.sizes("shape",
            "The new sizes, -1 first: the batch, times what the other sizes leave.\n"
            "A view of the input where its values lie in that order, otherwise a copy",
            {.low = -1, .high = kMostSize, .most = kAxes}, &stack::Reshape::shape);
}

void add(PartFields<stack::Permute> f, const stack::Permute&) {
    f.sizes("dims", "The input's axes in their new order, 0 (the batch) first: a view of the input",
            {.low = 0, .high = stack::kMostAxes - 1, .most = kAxes}, &stack::Permute::dims);
}

void add(PartFields<stack::Select> f, const stack::Select&) {
    f.integer("dim", "The axis that the output does not have; -1 is the last", -stack::kMostAxes,
              stack::kMostAxes - 1, &stack::Select::dim);
    f.integer("index", "The place of that axis that is kept", 0, kMostSize, &stack::Select::index);
}

void add(PartFields<stack::Slice> f, const stack::Slice&) {
    using T = stack::Slice;
    f.integer("dim", "The axis that is cut; -1 is the last", -stack::kMostAxes, stack::kMostAxes - 1,
              &T::dim);
    f.integer("start", "The first place that is kept", 0, kMostSize, &T::start);
    f.integer("end", "The first place behind what is kept", 1, kMostSize, &T::end);
    f.integer("step", "Every so many places one is kept", 1, kMostSize, &T::step);
}

void add(PartFields<stack::Roll> f, const stack::Roll&) {
    using T = stack::Roll;
    f.sizes("shifts",
            "How far the places move, one number for each of dims; what leaves comes in at the other end",
            {.low = -kMostSize, .high = kMostSize, .most = kAxes}, &T::shifts);
    f.sizes("dims", "The axes along which they move", {.low = 1, .high = stack::kMostAxes - 1, .most = kAxes},
            &T::dims);
}

void add(PartFields<stack::RelativePositionBias> f, const stack::RelativePositionBias&) {
    using T = stack::RelativePositionBias;
    f.sizes("window_size", "The sizes of a window, one to three", kPositive, &T::windowSize);
    f.integer("num_heads", "The heads of the attention; each has a value for each distance", 1, kMostSize,
              &T::numHeads);
    f.integer("places", "Only the first so many places of a window; 0: all", 0, kMostSize, &T::places);
    f.toggle("copy_index", "The indices are copied before they are used, as MONAI does", &T::copyIndex);
}

void add(PartFields<stack::WindowMask> f, const stack::WindowMask&) {
    using T = stack::WindowMask;
    f.sizes("size", "The sizes of the volume that is divided, multiples of the window's", kPositive,
            &T::size);
    f.sizes("window_size", "The sizes of a window", kPositive, &T::windowSize);
    f.sizes("shift_size", "How far the windows were shifted along each axis", kZeroUp, &T::shiftSize);
}

void add(const PartFields<stack::Copy>&, const stack::Copy&) {}

void add(PartFields<stack::Learned> f, const stack::Learned& learned) {
    constexpr std::array kWhat = {
        "The sizes of the learned factors, from the last axis: each the input's, or 1",
        "The sizes of what is learned and added, from the last axis: each the input's, or 1",
        "1, the number of tokens, and the input's features"};
    f.sizes("shape", kWhat[static_cast<std::size_t>(learned.kind)],
            {.low = 1, .high = kMostSize, .most = kAxes}, &stack::Learned::shape);
}

void add(PartFields<stack::StochasticDepth> f, const stack::StochasticDepth&) {
    using T = stack::StochasticDepth;
    f.number("p", "How probable it is, while training, that a sample is set to zero", 0, 1, &T::p);
    f.choice("mode", "row: drawn for each sample; batch: once for all", {"row", "batch"}, &T::mode);
    f.toggle("scale_by_keep", "Divide what is kept by 1 - p", &T::scaleByKeep);
}

void add(PartFields<stack::Linear> f, const stack::Linear&) {
    f.integer("out_features", "The number of values in the layer's output", 1, kMostSize,
              &stack::Linear::outFeatures);
    f.toggle("bias", "A learned number added to each value", &stack::Linear::bias);
}

void add(PartFields<stack::Upsample> f, const stack::Upsample&) {
    using T = stack::Upsample;
    f.form().addParsed<std::vector<double>>(
        "scale_factor", "How many times larger the output is; used where size is empty",
        [](const QString& text) { return parseNumbers(text, 1e-3, stack::kMostScale); }, numbersText,
        f.get(&T::scaleFactor), f.set(&T::scaleFactor));
    f.sizes("size", "The output's spatial sizes; empty: by scale_factor", kMaybe, &T::size);
    f.choice("mode",
             "How values between voxels are computed; which linear mode fits depends on the number of axes",
             {"nearest", "linear", "bilinear", "trilinear"}, &T::mode);
    f.toggle("align_corners", "The corner voxels keep their places; for the linear modes", &T::alignCorners);
}

void add(PartFields<stack::Dropout> f, const stack::Dropout&) {
    using T = stack::Dropout;
    f.number("p", "The share of values set to zero while training", 0, 1, &T::p);
    f.toggle("feature", "Drop whole channels instead of single values", &T::feature);
}

void add(PartFields<stack::Head> f, const stack::Head&) {
    using T = stack::Head;
    f.integer("out_channels", "The side output's channels: as many as the stack's output has", 1, kMostSize,
              &T::outChannels);
    f.number("weight",
             "How much this output's loss counts; the stack's own output has 1,\n"
             "and all are divided by their sum",
             0, 1e9, &T::weight);
    f.toggle("bias", "A learned value added to each output channel", &T::bias);
}

QStringList idsOf(const stack::Experiment& experiment) {
    QStringList ids;
    for (const std::string& id : layerIds(experiment.stack)) {
        ids << QString::fromStdString(id);
    }
    return ids;
}

const char* withTip(stack::Merge::Kind kind) {
    switch (kind) {
        case stack::Merge::Kind::Add:
            return "The id of the earlier output that is added; sizes of 1 are repeated";
        case stack::Merge::Kind::Sub:
            return "The id of the earlier output that is subtracted; sizes of 1 are repeated";
        case stack::Merge::Kind::Mul:
            return "The id of the earlier output to multiply by; sizes of 1 are repeated";
        case stack::Merge::Kind::Concat:
            return "The ids of the earlier outputs that are joined along one axis, with commas between";
        case stack::Merge::Kind::Matmul:
            return "The id of the earlier output whose matrices, of the last two axes, are on the right";
        case stack::Merge::Kind::Attention:
            return "The ids of the earlier outputs that are the keys and the values, with a comma between;\n"
                   "the layer's input are the queries, all of (heads, places, size) for each sample";
        case stack::Merge::Kind::Branch:
            break;
    }
    return "The id of the earlier output that the layers from here on start from";
}

/// The ids in a text; one id that has a comma itself stays whole.
std::vector<std::string> idsIn(const std::string& text, const stack::Experiment& experiment) {
    const std::vector<std::string> known = layerIds(experiment.stack);
    if (std::find(known.begin(), known.end(), text) != known.end()) {
        return {text};
    }
    std::vector<std::string> ids;
    for (const QString& part : QString::fromStdString(text).split(',', Qt::SkipEmptyParts)) {
        ids.push_back(part.trimmed().toStdString());
    }
    return ids;
}

void add(PartFields<stack::Shared> f, const stack::Shared&) {
    f.form().addSuggested("with", "The id of the earlier layer that is used again, with its parameters",
                          idsOf, f.get(&stack::Shared::with), f.set(&stack::Shared::with));
}

/// The field `with`, of one id or of several.
template <class T>
void addIds(PartFields<T> f, const char* tip, bool many) {
    const auto get = [ids = f.get(&T::with)](const stack::Experiment& e) {
        return idsText(ids(e)).toStdString();
    };
    const auto set = [ids = f.set(&T::with), many](stack::Experiment& e, const std::string& text) {
        ids(e, many ? idsIn(text, e) : std::vector<std::string>{text});
    };
    f.form().addSuggested("with", tip, idsOf, get, set);
}

void add(PartFields<stack::Unknown> f, const stack::Unknown&) {
    using T = stack::Unknown;
    f.text("operator", "The operator that this stands for; what it takes is not counted", "PyTorch's name",
           &T::operatorName);
    f.sizes("shape", "Its output's sizes for one sample; the first is times the batch",
            {.low = 1, .high = kMostSize, .most = kAxes}, &T::shape);
    addIds(f, "The ids of the other outputs that it reads, with commas between", true);
}

void add(PartFields<stack::Merge> f, const stack::Merge& merge) {
    using T = stack::Merge;
    const bool attention = merge.kind == T::Kind::Attention;
    addIds(f, withTip(merge.kind), merge.kind == T::Kind::Concat || attention);
    if (merge.kind == T::Kind::Add) {
        f.toggle("inplace", "Write the sum over the layer's input instead of keeping both", &T::inplace);
    }
    if (attention) {
        f.toggle("is_causal", "Each query sees only the keys up to its own place", &T::isCausal);
        f.number("scale", "What products of queries and keys are multiplied by; 0: 1 / sqrt(size)", 0, 1e9,
                 &T::scale);
        f.number("dropout_p", "The share of the weights of attention set to zero while training", 0, 1,
                 &T::dropoutP);
    }
    if (merge.kind == T::Kind::Concat) {
        f.integer("dim", "The axis along which they are joined: 1 is the channels, -1 the last",
                  -stack::kMostAxes, stack::kMostAxes - 1, &T::dim);
    }
}

void add(PartFields<stack::Block> f, const stack::Block&) {
    using T = stack::Block;
    f.text("name", "How the block is called in lists and reports", "e.g. enc1", &T::name);
    f.toggle("checkpoint",
             "Keep only the block's input and compute its layers again in the backward pass:\n"
             "less memory, more time, the same gradients. Used where checkpointing is “by block”",
             &T::checkpoint);
}

}  // namespace

void addFields(OptionForm& form, const stack::Op& op, std::function<Path()> path) {
    const auto layer = [path](const stack::Experiment& e) { return layerAt(e.stack, path()); };
    std::visit(
        [&](const auto& value) {
            using T = std::decay_t<decltype(value)>;
            const auto of = [layer](const stack::Experiment& e) {
                const stack::Layer* here = layer(e);
                return here ? std::get_if<T>(&here->op) : nullptr;
            };
            add(PartFields<T>(form, of), value);
        },
        op);
    if (std::holds_alternative<stack::Head>(op)) {
        return;  // it passes its input on: there is no output to name
    }
    PartFields<stack::Layer>(form, layer)
        .text("id", "Names the output, so that a later merge can use it", "none", &stack::Layer::id);
}

}  // namespace highwater::widgets
