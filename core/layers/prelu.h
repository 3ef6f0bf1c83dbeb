#pragma once

#include "core/layers/about.h"

namespace highwater::stack {

/// A leaky_relu with learned slopes; they start at 0.25.
struct Prelu {
    std::int64_t numParameters = 1;  ///< 1, or the number of channels
    bool operator==(const Prelu&) const = default;
};

template <>
struct About<Prelu> : AboutMost {
    static constexpr std::array<std::string_view, 1> names = {"prelu"};
    static constexpr Group group = Group::Activation;
    static bool learns(const Prelu&) { return true; }
    static Axes axes(const Prelu&) { return {2, 5}; }
    static base::Result<LayerRule> rule(const Prelu& op, const Shape& input, bool train);
    static void words(const Prelu& op, Words& w);
    static python::Module module(const Prelu& op, const python::Place&) {
        return python::Module{"nn.PReLU"}.add("num_parameters", op.numParameters, 1);
    }
    template <class V>
    static void fields(V& v, const Prelu&) {
        v.integer("num_parameters", &Prelu::numParameters, {1, kMostSize},
                  "Learned slopes below zero: 1 for all channels, or as many as there are channels");
    }
};

}  // namespace highwater::stack
