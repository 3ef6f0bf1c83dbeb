#pragma once

#include "core/layers/softmax.h"

namespace highwater::stack {

/// One index of an axis, which is removed: a view.
struct Select {
    int dim = 1;  ///< not the batch; negative: counted from the end
    std::int64_t index = 0;
    bool operator==(const Select&) const = default;
};

template <>
struct About<Select> : AboutMost {
    static constexpr std::array<std::string_view, 1> names = {"select"};
    static constexpr Group group = Group::Axes;
    static Lies lies(const Select&, bool) { return Lies::InInput; }
    static bool mixesAxes(const Select&) { return true; }
    static Axes axes(const Select&) { return kAnyAxes; }
    static base::Result<LayerRule> rule(const Select& op, const Shape& input, bool train);
    static void words(const Select& op, Words& w);
    static python::Module module(const Select& op, const python::Place&) {
        return python::Module{"Select"}.addAll({op.dim, op.index});
    }
    template <class V>
    static void fields(V& v, const Select&) {
        v.integer("dim", &Select::dim, kAxisRange, "The axis that is removed; -1 is the last");
        v.integer("index", &Select::index, {0, kMostSize}, "The index along that axis that is kept");
    }
};

}  // namespace highwater::stack
