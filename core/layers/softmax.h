#pragma once

#include "core/layers/about.h"

namespace highwater::stack {

struct Softmax {
    int dim = 1;  ///< an axis of N, C, spatial, but not N; negative: counted from the end
    bool operator==(const Softmax&) const = default;
};

/// The range of a field that names an axis.
inline constexpr Range kAxisRange{-kMostAxes, kMostAxes - 1};

template <>
struct About<Softmax> : AboutMost {
    static constexpr std::array<std::string_view, 1> names = {"softmax"};
    static constexpr Group group = Group::Activation;
    static bool savesResult(const Softmax&) { return true; }
    static Axes axes(const Softmax&) { return kAnyAxes; }
    static base::Result<LayerRule> rule(const Softmax& op, const Shape& input, bool train);
    static void words(const Softmax& op, Words& w) { w.add("dim " + std::to_string(op.dim)); }
    static python::Module module(const Softmax& op, const python::Place&) {
        return {"nn.Softmax", {"dim=" + std::to_string(op.dim)}};
    }
    template <class V>
    static void fields(V& v, const Softmax&) {
        v.integer("dim", &Softmax::dim, kAxisRange,
                  "The axis along which the values sum to 1: 1 is the channels, -1 the last axis");
    }
};

}  // namespace highwater::stack
