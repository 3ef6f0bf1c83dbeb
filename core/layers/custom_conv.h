#pragma once

#include "core/layers/convolutions.h"

namespace highwater::stack {

/// A learned 1x1 convolution to transformChannels, then a convolution with a fixed (not learned) kernel and
/// groups = transformChannels, then a bias.
struct CustomConv {
    enum class Kernel { Gaussian, Laplacian, Random };
    enum class Implementation { Naive, TwoStep, Cached, Fused };
    int dims = 0;
    std::int64_t transformChannels = 1;
    std::int64_t outChannels = 1;  ///< a multiple of transformChannels
    Sizes kernelSize = {3};
    Kernel kernel = Kernel::Gaussian;
    Padding padding;
    bool bias = true;
    Implementation implementation = Implementation::TwoStep;
    bool operator==(const CustomConv&) const = default;
};

template <>
struct About<CustomConv> : AboutMost {
    static constexpr std::array<std::string_view, 1> names = {"custom_conv"};
    static constexpr Group group = Group::Convolution;
    static constexpr std::array<std::string_view, 3> kernels = {"gaussian", "laplacian", "random"};
    static constexpr std::array<std::string_view, 4> implementations = {"naive", "two_step", "cached",
                                                                        "fused"};
    static bool learns(const CustomConv&) { return true; }
    static base::Result<LayerRule> rule(const CustomConv& op, const Shape& input, bool train);
    static std::int64_t sizeAlong(const CustomConv& op, std::int64_t size, int, std::size_t axis) {
        return slidSize(size, windowAlong(op.kernelSize, {1}, {1}, op.padding, axis));
    }
    static void suit(CustomConv& op, const Shape& input) {
        keepSize(op, input);
        op.transformChannels = op.outChannels;
    }
    static void words(const CustomConv& op, Words& w);
    static python::Module module(const CustomConv& op, const python::Place& at);
    static std::vector<python::Source<CustomConv>> sources();
    template <class V>
    static void fields(V& v, const CustomConv&) {
        using T = CustomConv;
        v.needed("transform_channels", &T::transformChannels, {1, kMostSize},
                 "Channels after the learned 1 × 1 transform");
        v.needed("out_channels", &T::outChannels, {1, kMostSize},
                 "The number of feature maps in the layer's output: a multiple of transform_channels");
        kernelField(v, &T::kernelSize);
        paddingField(v, &T::padding);
        v.choice("kernel", &T::kernel, kernels, "The fixed kernel, which is not learned");
        v.choice("implementation", &T::implementation, implementations,
                 "Four ways to compute the same result:\n"
                 "naive: unfolds the input and multiplies; the slowest, and the most memory\n"
                 "two_step: the transform, then the fixed kernel\n"
                 "cached: what depends on weights alone is computed once per step\n"
                 "fused: one pass that keeps no tensor in between");
        biasField(v, &T::bias);
        dimsField(v, &T::dims);
    }
};

}  // namespace highwater::stack
