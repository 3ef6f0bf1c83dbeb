#pragma once

#include "core/layers/about.h"

namespace highwater::stack {

/// x W^T + b over the last axis.
struct Linear {
    std::int64_t outFeatures = 1;
    bool bias = true;
    bool operator==(const Linear&) const = default;
};

template <>
struct About<Linear> : AboutMost {
    static constexpr std::array<std::string_view, 1> names = {"linear"};
    static constexpr Group group = Group::Classifier;
    static bool learns(const Linear&) { return true; }
    static Axes axes(const Linear&) { return kAnyAxes; }
    static base::Result<LayerRule> rule(const Linear& op, const Shape& input, bool train);
    static std::int64_t sizeAlong(const Linear& op, std::int64_t size, int dims, std::size_t axis) {
        return dims > 0 && axis + 1 == static_cast<std::size_t>(dims) ? op.outFeatures : size;
    }
    static void suit(Linear& op, const Shape& input) { op.outFeatures = input.empty() ? 1 : input[1]; }
    static void words(const Linear& op, Words& w);
    static python::Module module(const Linear& op, const python::Place& at) {
        return python::Module{"nn.Linear"}.addAll({at.features, op.outFeatures}).add("bias", op.bias, true);
    }
    template <class V>
    static void fields(V& v, const Linear&) {
        v.needed("out_features", &Linear::outFeatures, {1, kMostSize},
                 "The number of values in the layer's output");
        v.toggle("bias", &Linear::bias, "A learned number added to each value");
    }
};

}  // namespace highwater::stack
