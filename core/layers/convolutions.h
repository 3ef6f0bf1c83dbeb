#pragma once

#include <algorithm>
#include <optional>

#include "core/layers/about.h"
#include "core/layers/axis_size.h"

/// Code shared by the convolutions.
namespace highwater::stack {

inline constexpr SizesRange kKernelRange{.low = 1, .high = kMostExtent, .shown = true};
inline constexpr SizesRange kFromOne{.low = 1, .high = kMostExtent};
inline constexpr SizesRange kFromZero{.low = 0, .high = kMostExtent};

// --- fields

template <class V, class T>
void outChannelsField(V& v, std::int64_t T::* member) {
    v.needed("out_channels", member, {1, kMostSize},
             "The number of feature maps in the layer's output, whose memory grows with it");
}
template <class V, class T>
void kernelField(V& v, Sizes T::* member) {
    v.sizes("kernel_size", member, kKernelRange, "The size of the window that moves over the input");
}
template <class V, class T>
void strideField(V& v, Sizes T::* member) {
    v.sizes("stride", member, kFromOne, "How far the window moves at a time: 2 halves the output's size");
}
template <class V, class T>
void dilationField(V& v, Sizes T::* member) {
    v.sizes("dilation", member, kFromOne, "The distance between the points of the window: 1 is a dense one");
}
template <class V, class T>
void paddingField(V& v, Padding T::* member) {
    v.padding("padding", member, "How much is added at each side of the input");
}
template <class V, class T>
void paddingModeField(V& v, PaddingMode T::* member) {
    v.choice("padding_mode", member, kPaddingModes,
             "What the padding is filled with. All but zeros make a padded copy of the input first");
}
template <class V, class T>
void groupsField(V& v, std::int64_t T::* member) {
    v.integer("groups", member, {1, kMostSize},
              "The number of groups that the channels are split into; groups do not see each other");
}
template <class V, class T>
void biasField(V& v, bool T::* member) {
    v.toggle("bias", member, "A learned number added to each feature map");
}
template <class V, class T>
void dimsField(V& v, int T::* member) {
    v.dims("dims", member, "How many spatial axes the convolution works on");
}

// --- rules

/// The settings that all convolutions except transposed ones share; sizes as entered.
struct SlidingWindow {
    int dims;
    const Sizes& kernelSize;
    const Sizes& stride;
    const Sizes& dilation;
    const Padding& padding;
    PaddingMode mode;
};
/// The shape of the output.
base::Result<Shape> slide(const SlidingWindow& window, const Shape& input, std::int64_t outChannels);
std::optional<base::Error> checkDims(int given, const Shape& input);
std::optional<base::Error> checkGroups(std::int64_t groups, std::int64_t in, std::int64_t out);

/// For a conv or separable_conv.
std::int64_t convolvedSize(const auto& conv, std::int64_t size, std::size_t axis) {
    const AxisWindow window = windowAlong(conv.kernelSize, conv.stride, conv.dilation, conv.padding, axis);
    return canPad(conv.paddingMode, std::max(window.before, window.after), size) ? slidSize(size, window) : 0;
}
inline std::int64_t scaleInRange(const Sizes& sizes, std::size_t axis) {
    return std::clamp<std::int64_t>(along(sizes, axis), 1, kMostExtent);
}

/// Keeps the input's channels and size: a kernel of 3 with a padding of 1.
void keepSize(auto& conv, const Shape& input) {
    conv.outChannels = input.empty() ? 1 : input[1];
    conv.padding.sizes = {1};
}

// --- words and Python

/// For a conv, conv_transpose or separable_conv, without the padding and the last options.
template <class C>
void convWords(const C& conv, Words& w) {
    w.addIf(!w.brief, std::to_string(conv.outChannels) + " channels");
    w.addKernel(conv.kernelSize, conv.dims);
    w.addSizes("stride", conv.stride, 1);
    if constexpr (requires { conv.outputPadding; }) {
        w.addPadding({false, conv.padding});
        if (!w.brief) {
            w.addSizes("output padding", conv.outputPadding, 0);
        }
    } else {
        w.addPadding(conv.padding, conv.paddingMode);
    }
    w.addSizes("dilation", conv.dilation, 1);
    if constexpr (requires { conv.depthMultiplier; }) {
        w.addIf(!w.brief && conv.depthMultiplier != 1,
                "depth multiplier " + std::to_string(conv.depthMultiplier));
    } else {
        w.addIf(conv.groups != 1,
                w.brief ? "groups " + std::to_string(conv.groups) : std::to_string(conv.groups) + " groups");
    }
    w.addIf(!w.brief && !conv.bias, "no bias");
}

template <class C>
python::Module convolutionModule(const C& conv, std::int64_t in, std::int64_t out, std::int64_t groups,
                                 int dims) {
    python::Module made{python::withDims("Conv", dims),
                        {python::literal(in), python::literal(out), python::sizes(conv.kernelSize)}};
    made.add("stride", conv.stride, 1);
    made.add(conv.padding, conv.paddingMode);
    made.add("dilation", conv.dilation, 1);
    made.add("groups", groups, 1);
    return made.add("bias", conv.bias, true);
}

}  // namespace highwater::stack
