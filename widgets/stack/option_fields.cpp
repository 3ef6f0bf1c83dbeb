#include "widgets/stack/option_fields.h"

#include "widgets/stack/layer_tree.h"

namespace highwater::widgets {

namespace {

using stack::Layer;

/// A field of the alternative T of a layer's op, through a member pointer.
template <class T, class V>
auto getter(V T::*member) {
    return [member](const Layer& layer) { return std::get<T>(layer.op).*member; };
}

template <class T, class V>
auto setter(V T::*member) {
    return [member](Layer& layer, const V& value) { std::get<T>(layer.op).*member = value; };
}

template <class T, class E>
OptionForm::Get<int> enumGetter(E T::*member) {
    return [member](const Layer& layer) { return static_cast<int>(std::get<T>(layer.op).*member); };
}

template <class T, class E>
OptionForm::Set<int> enumSetter(E T::*member) {
    return
        [member](Layer& layer, const int& value) { std::get<T>(layer.op).*member = static_cast<E>(value); };
}

const SizeRule kPositive{.low = 1, .high = 100'000};
const SizeRule kZeroUp{.low = 0, .high = 100'000};

template <class T>
void addDims(OptionForm& form) {
    form.addChoice("dims", "How many spatial axes the convolution works on", {"as the input", "1", "2", "3"},
                   getter<T>(&T::dims), setter<T>(&T::dims));
}

template <class T>
void addOutChannels(OptionForm& form) {
    form.addInteger("out_channels", "How many feature maps the layer gives on", 1, getter<T>(&T::outChannels),
                    setter<T>(&T::outChannels));
}

template <class T>
void addKernel(OptionForm& form) {
    form.addSizes("kernel_size", "The size of the window that moves over the input", kPositive,
                  getter<T>(&T::kernelSize), setter<T>(&T::kernelSize));
}

template <class T>
void addStride(OptionForm& form) {
    form.addSizes("stride", "How far the window moves at a time: 2 halves the output's size", kPositive,
                  getter<T>(&T::stride), setter<T>(&T::stride));
}

template <class T>
void addDilation(OptionForm& form) {
    form.addSizes("dilation", "The distance between the points of the window: 1 is a dense one", kPositive,
                  getter<T>(&T::dilation), setter<T>(&T::dilation));
}

template <class T>
void addPaddingField(OptionForm& form) {
    form.addPadding("padding", "How much is added at each side of the input", getter<T>(&T::padding),
                    setter<T>(&T::padding));
}

template <class T>
void addPaddingMode(OptionForm& form) {
    form.addChoice("padding_mode", "What the padding is filled with",
                   {"zeros", "reflect", "replicate", "circular"}, enumGetter(&T::paddingMode),
                   enumSetter(&T::paddingMode));
}

template <class T>
void addGroups(OptionForm& form) {
    form.addInteger("groups", "Channels are split into so many groups that do not see each other", 1,
                    getter<T>(&T::groups), setter<T>(&T::groups));
}

template <class T>
void addBias(OptionForm& form) {
    form.addToggle("bias", "A learned number added to each feature map", getter<T>(&T::bias),
                   setter<T>(&T::bias));
}

template <class T>
void addEps(OptionForm& form) {
    form.addNumber("eps", "Added to the variance, so that nothing is divided by zero", 1e-12, 1,
                   getter<T>(&T::eps), setter<T>(&T::eps));
}

template <class T>
void addSlope(OptionForm& form) {
    form.addNumber("negative_slope", "The slope below zero", 0, 100, getter<T>(&T::negativeSlope),
                   setter<T>(&T::negativeSlope));
}

void add(OptionForm& form, const stack::Conv&) {
    using T = stack::Conv;
    addOutChannels<T>(form);
    addKernel<T>(form);
    addStride<T>(form);
    addPaddingField<T>(form);
    addDilation<T>(form);
    addGroups<T>(form);
    addPaddingMode<T>(form);
    addBias<T>(form);
    addDims<T>(form);
}

void add(OptionForm& form, const stack::ConvTranspose&) {
    using T = stack::ConvTranspose;
    addOutChannels<T>(form);
    addKernel<T>(form);
    addStride<T>(form);
    form.addSizes("padding", "How much of the output is cut at each side", kZeroUp, getter<T>(&T::padding),
                  setter<T>(&T::padding));
    form.addSizes("output_padding", "Added to one side of the output; less than the stride", kZeroUp,
                  getter<T>(&T::outputPadding), setter<T>(&T::outputPadding));
    addDilation<T>(form);
    addGroups<T>(form);
    addBias<T>(form);
    addDims<T>(form);
}

void add(OptionForm& form, const stack::SeparableConv&) {
    using T = stack::SeparableConv;
    addOutChannels<T>(form);
    addKernel<T>(form);
    addStride<T>(form);
    addPaddingField<T>(form);
    addDilation<T>(form);
    form.addInteger("depth_multiplier", "Feature maps of the depthwise part for each input channel", 1,
                    getter<T>(&T::depthMultiplier), setter<T>(&T::depthMultiplier));
    addPaddingMode<T>(form);
    addBias<T>(form);
    addDims<T>(form);
}

void add(OptionForm& form, const stack::CustomConv&) {
    using T = stack::CustomConv;
    form.addInteger("transform_channels", "Channels after the learned 1 × 1 transform", 1,
                    getter<T>(&T::transformChannels), setter<T>(&T::transformChannels));
    addOutChannels<T>(form);
    addKernel<T>(form);
    addPaddingField<T>(form);
    form.addChoice("kernel", "The fixed kernel, which is not learned", {"gaussian", "laplacian", "random"},
                   enumGetter(&T::kernel), enumSetter(&T::kernel));
    form.addChoice("implementation", "Four ways to compute the same result",
                   {"naive", "two_step", "cached", "fused"}, enumGetter(&T::implementation),
                   enumSetter(&T::implementation));
    addBias<T>(form);
    addDims<T>(form);
}

void add(OptionForm& form, const stack::Norm& norm) {
    using T = stack::Norm;
    if (norm.kind == T::Kind::Group)
        form.addInteger("num_groups", "Channels are normalised in so many groups", 1,
                        getter<T>(&T::numGroups), setter<T>(&T::numGroups));
    addEps<T>(form);
    form.addToggle("affine", "A learned scale and shift for each channel", getter<T>(&T::affine),
                   setter<T>(&T::affine));
}

void add(OptionForm& form, const stack::InplaceAbn&) {
    using T = stack::InplaceAbn;
    form.addChoice("activation", "The activation that follows the normalisation; it must be invertible",
                   {"leaky_relu", "elu"}, enumGetter(&T::activation), enumSetter(&T::activation));
    addSlope<T>(form);
    addEps<T>(form);
}

void add(OptionForm& form, const stack::Activation& activation) {
    using T = stack::Activation;
    if (activation.kind != T::Kind::Gelu)
        form.addToggle("inplace", "Overwrite the input instead of keeping both: saves one output",
                       getter<T>(&T::inplace), setter<T>(&T::inplace));
    if (activation.kind == T::Kind::LeakyRelu)
        addSlope<T>(form);
}

void add(OptionForm& form, const stack::Pool&) {
    using T = stack::Pool;
    addKernel<T>(form);
    form.addSizes("stride", "How far the window moves at a time; empty: the kernel's size",
                  {.low = 1, .high = 100'000, .mayBeEmpty = true}, getter<T>(&T::stride),
                  setter<T>(&T::stride));
    form.addSizes("padding", "How much is added at each side; at most half the kernel", kZeroUp,
                  getter<T>(&T::padding), setter<T>(&T::padding));
}

void add(OptionForm& form, const stack::Upsample&) {
    using T = stack::Upsample;
    form.addNumbers("scale_factor", "How many times larger the output is; used where size is empty",
                    getter<T>(&T::scaleFactor), setter<T>(&T::scaleFactor));
    form.addSizes("size", "The output's spatial sizes; empty: by scale_factor",
                  {.low = 1, .high = 100'000, .mayBeEmpty = true}, getter<T>(&T::size), setter<T>(&T::size));
    form.addChoice("mode", "How values between voxels are made; the linear ones go by the number of axes",
                   {"nearest", "linear", "bilinear", "trilinear"}, enumGetter(&T::mode),
                   enumSetter(&T::mode));
    form.addToggle("align_corners", "The corner voxels keep their places; for the linear modes",
                   getter<T>(&T::alignCorners), setter<T>(&T::alignCorners));
}

void add(OptionForm& form, const stack::Dropout&) {
    using T = stack::Dropout;
    form.addNumber("p", "The share of values set to zero while training", 0, 1, getter<T>(&T::p),
                   setter<T>(&T::p));
    form.addToggle("feature", "Drop whole channels instead of single values", getter<T>(&T::feature),
                   setter<T>(&T::feature));
}

void add(OptionForm& form, const stack::Head&) {
    using T = stack::Head;
    form.addInteger("out_channels", "The side output's channels: as many as the stack's output has", 1,
                    getter<T>(&T::outChannels), setter<T>(&T::outChannels));
    form.addNumber("weight",
                   "How much this output's loss counts; the stack's own output has 1,\n"
                   "and all are divided by their sum",
                   0, 1000, getter<T>(&T::weight), setter<T>(&T::weight));
    form.addToggle("bias", "A learned value added to each output channel", getter<T>(&T::bias),
                   setter<T>(&T::bias));
}

void add(OptionForm& form, const stack::Merge& merge) {
    using T = stack::Merge;
    form.addSuggested(
        "with",
        merge.kind == T::Kind::Add ? "The id of the earlier output that is added"
        : merge.kind == T::Kind::Concat
            ? "The id of the earlier output that is joined along the channels"
            : "The id of the earlier output that the layers from here on start from",
        [](const stack::Experiment& experiment) {
            QStringList ids;
            for (const std::string& id : layerIds(experiment.stack))
                ids << QString::fromStdString(id);
            return ids;
        },
        getter<T>(&T::with), setter<T>(&T::with));
}

void add(OptionForm& form, const stack::Block&) {
    using T = stack::Block;
    form.addText("name", "How the block is called in lists and reports", "e.g. enc1", getter<T>(&T::name),
                 setter<T>(&T::name));
    form.addToggle("checkpoint",
                   "Keep only the block's input and compute its inside again in the backward pass:\n"
                   "less memory, more time, the same gradients",
                   getter<T>(&T::checkpoint), setter<T>(&T::checkpoint));
}

}  // namespace

void addFields(OptionForm& form, const stack::Op& op) {
    std::visit([&](const auto& value) { add(form, value); }, op);
    form.addText(
        "id", "Names the output, so that a later add or concat can bring it back", "none",
        [](const Layer& layer) { return layer.id; },
        [](Layer& layer, const std::string& id) { layer.id = id; });
}

}  // namespace highwater::widgets
