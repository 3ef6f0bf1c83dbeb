#pragma once

#include "core/layers/about.h"

namespace highwater::stack {

/// Reshapes the input: a view if the strides allow it, otherwise a copy.
struct Reshape {
    Sizes shape = {-1, 1};  ///< the first is -1: the batch, times the remaining factor
    bool operator==(const Reshape&) const = default;
};

template <>
struct About<Reshape> : AboutMost {
    static constexpr std::array<std::string_view, 1> names = {"reshape"};
    static constexpr Group group = Group::Axes;
    static Lies lies(const Reshape&, bool) { return Lies::OnInput; }
    static bool mixesAxes(const Reshape&) { return true; }
    static Axes axes(const Reshape&) { return kAnyAxes; }
    static base::Result<LayerRule> rule(const Reshape& op, const Shape& input, bool train);
    static std::int64_t sizeAlong(const Reshape& op, std::int64_t, int, std::size_t axis) {
        return axis + 2 < op.shape.size() ? op.shape[axis + 2] : 1;
    }
    static void suit(Reshape& op, const Shape& input) {
        if (!input.empty()) {
            op.shape = input;
            op.shape.front() = -1;
        }
    }
    static void words(const Reshape& op, Words& w) { w.add("to " + listText(op.shape)); }
    static python::Module module(const Reshape& op, const python::Place&) {
        return python::Module{"Reshape"}.addAll(op.shape);
    }
    template <class V>
    static void fields(V& v, const Reshape&) {
        v.sizes("shape", &Reshape::shape, listOf(-1, kMostSize),
                "The new sizes, -1 first: the batch, times what the other sizes leave.\n"
                "A view of the input where its values lie in that order, otherwise a copy");
    }
};

}  // namespace highwater::stack
