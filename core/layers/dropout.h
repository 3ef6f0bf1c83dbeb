#pragma once

#include "core/layers/about.h"

namespace highwater::stack {

struct Dropout {
    double p = 0.5;
    bool feature = false;  ///< drop whole channels
    bool operator==(const Dropout&) const = default;
};

template <>
struct About<Dropout> : AboutMost {
    static constexpr std::array<std::string_view, 1> names = {"dropout"};
    static constexpr Group group = Group::Regularization;
    static Lies lies(const Dropout& op, bool train) {
        return op.p == 0 || !train ? Lies::OnInput : Lies::Apart;
    }
    static bool drawsRandomly(const Dropout& op) { return op.p > 0; }
    static Axes axes(const Dropout&) { return kAnyAxes; }
    static base::Result<LayerRule> rule(const Dropout& op, const Shape& input, bool train);
    static void words(const Dropout& op, Words& w);
    static python::Module module(const Dropout& op, const python::Place& at) {
        const bool feature = op.feature && at.dims > 0;  // without spatial axes (N, C) each value is a whole
                                                         // channel
        return {feature ? python::withDims("Dropout", at.dims) : "nn.Dropout", {python::literal(op.p)}};
    }
    template <class V>
    static void fields(V& v, const Dropout&) {
        v.number("p", &Dropout::p, 0, 1, "The share of values set to zero while training");
        v.toggle("feature", &Dropout::feature, "Drop whole channels instead of single values");
    }
};

}  // namespace highwater::stack
