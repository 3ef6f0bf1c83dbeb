#pragma once

#include "core/layers/convolutions.h"

namespace highwater::stack {

/// Deep supervision: a 1x1 convolution whose output (the side output) is part of the loss; the next layer
/// gets this layer's input. The loss is (loss(stack's output) + sum of weight_i * loss(head_i)) / (1 + sum of
/// weight_i). Each head's target is the experiment's target, resampled to the head's size by nearest
/// neighbor. (nnU-Net's weights for the outputs, the largest first: 1, 1/2, 1/4, ..., none for the lowest;
/// also normalized.)
struct Head {
    std::int64_t outChannels = 1;  ///< must equal the stack's output channels, unless the loss is the mean
    double weight = 0.5;           ///< relative to the stack's output, which has weight 1
    bool bias = true;
    bool operator==(const Head&) const = default;
};

template <>
struct About<Head> : AboutMost {
    static constexpr std::array<std::string_view, 1> names = {"head"};
    static constexpr Group group = Group::DeepSupervision;
    static bool learns(const Head&) { return true; }
    /// The output is the side output.
    static base::Result<LayerRule> rule(const Head& op, const Shape& input, bool train);
    static void words(const Head& op, Words& w);
    static python::Module module(const Head& op, const python::Place& at) {
        return python::pointwise(at.channels, op.outChannels, op.bias, at.dims);
    }
    template <class V>
    static void fields(V& v, const Head&) {
        using T = Head;
        v.needed("out_channels", &T::outChannels, {1, kMostSize},
                 "The side output's channels: as many as the stack's output has");
        v.number("weight", &T::weight, 0, kMostNumber,
                 "How much this output's loss counts; the stack's own output has 1,\n"
                 "and all are divided by their sum");
        v.toggle("bias", &T::bias, "A learned value added to each output channel");
    }
};

}  // namespace highwater::stack
