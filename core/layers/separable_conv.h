#pragma once

#include "core/layers/convolutions.h"

namespace highwater::stack {

/// A depthwise convolution (groups = in_channels, in_channels * depthMultiplier outputs), then a pointwise
/// one (kernel 1). `bias` applies to both.
struct SeparableConv {
    int dims = 0;
    std::int64_t outChannels = 1;
    Sizes kernelSize = {3};
    Sizes stride = {1};
    Padding padding;
    PaddingMode paddingMode = PaddingMode::Zeros;
    Sizes dilation = {1};
    std::int64_t depthMultiplier = 1;
    bool bias = true;
    bool operator==(const SeparableConv&) const = default;
};

template <>
struct About<SeparableConv> : AboutMost {
    static constexpr std::array<std::string_view, 1> names = {"separable_conv"};
    static constexpr Group group = Group::Convolution;
    static bool learns(const SeparableConv&) { return true; }
    static base::Result<LayerRule> rule(const SeparableConv& op, const Shape& input, bool train);
    static std::int64_t sizeAlong(const SeparableConv& op, std::int64_t size, int, std::size_t axis) {
        return convolvedSize(op, size, axis);
    }
    static AxisScale scaleAlong(const SeparableConv& op, std::size_t axis) {
        return {scaleInRange(op.stride, axis), 1};
    }
    static void suit(SeparableConv& op, const Shape& input) { keepSize(op, input); }
    static void words(const SeparableConv& op, Words& w) { convWords(op, w); }
    static python::Module module(const SeparableConv& op, const python::Place& at) {
        const std::int64_t deep = at.channels * op.depthMultiplier;
        return {.name = "nn.Sequential",
                .inside = {convolutionModule(op, at.channels, deep, at.channels, at.dims),
                           python::pointwise(deep, op.outChannels, op.bias, at.dims)}};
    }
    template <class V>
    static void fields(V& v, const SeparableConv&) {
        using T = SeparableConv;
        outChannelsField(v, &T::outChannels);
        kernelField(v, &T::kernelSize);
        strideField(v, &T::stride);
        paddingField(v, &T::padding);
        dilationField(v, &T::dilation);
        v.integer("depth_multiplier", &T::depthMultiplier, {1, kMostSize},
                  "Feature maps of the depthwise part for each input channel: what it keeps for the backward "
                  "pass grows with it");
        paddingModeField(v, &T::paddingMode);
        biasField(v, &T::bias);
        dimsField(v, &T::dims);
    }
};

}  // namespace highwater::stack
