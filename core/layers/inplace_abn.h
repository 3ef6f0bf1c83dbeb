#pragma once

#include "core/layers/about.h"

namespace highwater::stack {

struct InplaceAbn {
    enum class Function { LeakyRelu, Elu };
    double eps = 1e-5;
    Function activation = Function::LeakyRelu;
    double negativeSlope = 0.01;
    bool operator==(const InplaceAbn&) const = default;
};

template <>
struct About<InplaceAbn> : AboutMost {
    static constexpr std::array<std::string_view, 1> names = {"inplace_abn"};
    static constexpr Group group = Group::Normalization;
    static constexpr std::array<std::string_view, 2> activations = {"leaky_relu", "elu"};
    static bool learns(const InplaceAbn&) { return true; }
    static bool worksInPlace(const InplaceAbn&) { return true; }
    static bool savesResult(const InplaceAbn&) { return true; }
    static base::Result<LayerRule> rule(const InplaceAbn& op, const Shape& input, bool train);
    static void words(const InplaceAbn& op, Words& w);
    static python::Module module(const InplaceAbn& op, const python::Place& at);
    static std::vector<python::Source<InplaceAbn>> sources();
    template <class V>
    static void fields(V& v, const InplaceAbn&) {
        using T = InplaceAbn;
        v.choice("activation", &T::activation, activations,
                 "The activation that follows the normalization. It is inverted in the backward pass, so "
                 "that only the output is kept");
        v.number("negative_slope", &T::negativeSlope, 1e-6, 1,
                 "leaky_relu's slope below zero; above 0, so that it can be inverted");
        v.onlyIf([](const T& op) { return op.activation == T::Function::LeakyRelu; });
        v.number(
            "eps", &T::eps, 0, 1,
            "Added to the variance, and to the size of the weight that the layer scales by, so that nothing "
            "is divided by zero");
    }
};

}  // namespace highwater::stack
