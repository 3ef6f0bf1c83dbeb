#pragma once

#include "core/layers/norm.h"

namespace highwater::stack {

/// Normalizes over the last axes.
struct LayerNorm {
    Sizes normalizedShape = {1};  ///< the sizes of these axes: [C, spatial...], or fewer
    double eps = 1e-5;
    bool affine = true;  ///< PyTorch: elementwise_affine
    bool operator==(const LayerNorm&) const = default;
};

template <>
struct About<LayerNorm> : AboutMost {
    static constexpr std::array<std::string_view, 1> names = {"layer_norm"};
    static constexpr Group group = Group::Normalization;
    static bool learns(const LayerNorm& op) { return op.affine; }
    static Axes axes(const LayerNorm&) { return kAnyAxes; }
    static base::Result<LayerRule> rule(const LayerNorm& op, const Shape& input, bool train);
    static void suit(LayerNorm& op, const Shape& input) {
        if (!input.empty()) {
            op.normalizedShape.assign(input.begin() + 1, input.end());
        }
    }
    static void words(const LayerNorm& op, Words& w);
    static python::Module module(const LayerNorm& op, const python::Place& at);
    template <class V>
    static void fields(V& v, const LayerNorm&) {
        using T = LayerNorm;
        v.sizes("normalized_shape", &T::normalizedShape, listOf(1, kMostSize),
                "The sizes of the last axes, over which each sample is normalized: C × spatial, or fewer "
                "from the end");
        epsField(v, &T::eps);
        v.toggle("affine", &T::affine, "A learned scale and shift for each position of these axes");
    }
};

}  // namespace highwater::stack
