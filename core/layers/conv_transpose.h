#pragma once

#include "core/layers/convolutions.h"

namespace highwater::stack {

struct ConvTranspose {
    int dims = 0;
    std::int64_t outChannels = 1;
    Sizes kernelSize = {2};
    Sizes stride = {1};
    Sizes padding = {0};
    Sizes outputPadding = {0};
    Sizes dilation = {1};
    std::int64_t groups = 1;
    bool bias = true;
    bool operator==(const ConvTranspose&) const = default;
};

template <>
struct About<ConvTranspose> : AboutMost {
    static constexpr std::array<std::string_view, 1> names = {"conv_transpose"};
    static constexpr Group group = Group::Convolution;
    static bool learns(const ConvTranspose&) { return true; }
    static bool resumable(const ConvTranspose&) { return true; }
    static base::Result<LayerRule> rule(const ConvTranspose& op, const Shape& input, bool train);
    static std::int64_t sizeAlong(const ConvTranspose& op, std::int64_t size, int, std::size_t axis) {
        const std::int64_t padding = along(op.padding, axis);
        return transposedSize(
            size,
            {along(op.kernelSize, axis), along(op.stride, axis), along(op.dilation, axis), padding, padding},
            along(op.outputPadding, axis));
    }
    static AxisScale scaleAlong(const ConvTranspose& op, std::size_t axis) {
        return {1, scaleInRange(op.stride, axis)};
    }
    static void suit(ConvTranspose& op, const Shape& input) {
        op.outChannels = input.empty() ? 1 : input[1];
        op.stride = {2};
    }
    static void words(const ConvTranspose& op, Words& w) { convWords(op, w); }
    static python::Module module(const ConvTranspose& op, const python::Place& at);
    template <class V>
    static void fields(V& v, const ConvTranspose&) {
        using T = ConvTranspose;
        outChannelsField(v, &T::outChannels);
        kernelField(v, &T::kernelSize);
        v.sizes("stride", &T::stride, kFromOne, "How many times larger the output is");
        v.sizes("padding", &T::padding, kFromZero, "How much of the output is cut at each side");
        v.sizes("output_padding", &T::outputPadding, kFromZero,
                "Added to one side of the output; less than the stride");
        dilationField(v, &T::dilation);
        groupsField(v, &T::groups);
        biasField(v, &T::bias);
        dimsField(v, &T::dims);
    }
};

}  // namespace highwater::stack
