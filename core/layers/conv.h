#pragma once

#include "core/layers/convolutions.h"

namespace highwater::stack {

struct Conv {
    /// Weights: each filter minus its mean, divided by its deviation (arXiv 1903.10520); Scaled: also times a
    /// learned factor (arXiv 2101.08692).
    enum class Standardize { None, Weights, Scaled };
    int dims = 0;  ///< 1, 2 or 3; 0 if not given: the input's
    std::int64_t outChannels = 1;
    Sizes kernelSize = {3};
    Sizes stride = {1};
    Padding padding;
    PaddingMode paddingMode = PaddingMode::Zeros;
    Sizes dilation = {1};
    std::int64_t groups = 1;
    bool bias = true;
    Standardize standardize = Standardize::None;
    bool operator==(const Conv&) const = default;
};

template <>
struct About<Conv> : AboutMost {
    static constexpr std::array<std::string_view, 1> names = {"conv"};
    static constexpr Group group = Group::Convolution;
    static constexpr std::array<std::string_view, 3> standards = {"none", "weights", "scaled"};
    static bool learns(const Conv&) { return true; }
    static bool resumable(const Conv& op);
    static base::Result<LayerRule> rule(const Conv& op, const Shape& input, bool train);
    static std::int64_t sizeAlong(const Conv& op, std::int64_t size, int, std::size_t axis) {
        return convolvedSize(op, size, axis);
    }
    static AxisScale scaleAlong(const Conv& op, std::size_t axis) {
        return {scaleInRange(op.stride, axis), 1};
    }
    static void suit(Conv& op, const Shape& input) { keepSize(op, input); }
    static void words(const Conv& op, Words& w);
    static python::Module module(const Conv& op, const python::Place& at);
    template <class V>
    static void fields(V& v, const Conv&) {
        outChannelsField(v, &Conv::outChannels);
        kernelField(v, &Conv::kernelSize);
        strideField(v, &Conv::stride);
        paddingField(v, &Conv::padding);
        dilationField(v, &Conv::dilation);
        groupsField(v, &Conv::groups);
        paddingModeField(v, &Conv::paddingMode);
        biasField(v, &Conv::bias);
        v.choice(
            "standardize", &Conv::standardize, standards,
            "weights: each filter without its mean and divided by its deviation, computed in each step;\n"
            "scaled: also times a learned factor");
        dimsField(v, &Conv::dims);
    }
};

}  // namespace highwater::stack
