#pragma once

#include <algorithm>
#include <numeric>

#include "core/layers/about.h"

namespace highwater::stack {

/// Permutes the axes, as a view.
struct Permute {
    Sizes dims = {0, 1};  ///< output axis i is the input's axis dims[i]; the first stays 0
    bool operator==(const Permute&) const = default;
};

template <>
struct About<Permute> : AboutMost {
    static constexpr std::array<std::string_view, 1> names = {"permute"};
    static constexpr Group group = Group::Axes;
    static Lies lies(const Permute&, bool) { return Lies::InInput; }
    static bool mixesAxes(const Permute&) { return true; }
    static Axes axes(const Permute&) { return kAnyAxes; }
    static base::Result<LayerRule> rule(const Permute& op, const Shape& input, bool train);
    static void suit(Permute& op, const Shape& input) {
        op.dims.resize(std::max(input.size(), op.dims.size()));
        std::iota(op.dims.begin(), op.dims.end(), 0);
    }
    static void words(const Permute& op, Words& w) { w.add("axes " + listText(op.dims)); }
    static python::Module module(const Permute& op, const python::Place&) {
        return python::Module{"Permute"}.addAll(op.dims);
    }
    template <class V>
    static void fields(V& v, const Permute&) {
        v.sizes("dims", &Permute::dims, listOf(0, kMostAxes - 1),
                "The input's axes in their new order, 0 (the batch) first: a view of the input");
    }
};

}  // namespace highwater::stack
