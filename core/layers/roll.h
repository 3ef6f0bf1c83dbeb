#pragma once

#include "core/layers/about.h"

namespace highwater::stack {

/// Shifts elements along some axes cyclically: torch.roll.
struct Roll {
    Sizes shifts = {1};  ///< one for each of `dims`; negative: towards index 0
    Sizes dims = {2};    ///< not the batch
    bool operator==(const Roll&) const = default;
};

template <>
struct About<Roll> : AboutMost {
    static constexpr std::array<std::string_view, 1> names = {"roll"};
    static constexpr Group group = Group::Axes;
    static Axes axes(const Roll&) { return kAnyAxes; }
    static base::Result<LayerRule> rule(const Roll& op, const Shape& input, bool train);
    static void suit(Roll& op, const Shape& input) { op.dims = {input.size() > 2 ? 2 : 1}; }
    static void words(const Roll& op, Words& w) {
        w.add("by " + listText(op.shifts));
        w.add("axes " + listText(op.dims));
    }
    static python::Module module(const Roll& op, const python::Place&) {
        return {"Roll", {python::tuple(op.shifts), python::tuple(op.dims)}};
    }
    template <class V>
    static void fields(V& v, const Roll&) {
        v.sizes("shifts", &Roll::shifts, listOf(-kMostSize, kMostSize),
                "How far the elements move along each of dims; those that leave come in at the other end");
        v.sizes("dims", &Roll::dims, listOf(1, kMostAxes - 1), "The axes along which they move");
    }
};

}  // namespace highwater::stack
