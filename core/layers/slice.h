#pragma once

#include <algorithm>

#include "core/layers/softmax.h"

namespace highwater::stack {

/// A range of indices of an axis, as a view.
struct Slice {
    int dim = 1;  ///< not the batch; negative: counted from the end
    std::int64_t start = 0;
    std::int64_t end = 1;   ///< exclusive
    std::int64_t step = 1;  ///< keeps every step-th index
    bool operator==(const Slice&) const = default;
};

template <>
struct About<Slice> : AboutMost {
    static constexpr std::array<std::string_view, 1> names = {"slice"};
    static constexpr Group group = Group::Axes;
    static Lies lies(const Slice&, bool) { return Lies::InInput; }
    static bool mixesAxes(const Slice&) { return true; }
    static Axes axes(const Slice&) { return kAnyAxes; }
    static base::Result<LayerRule> rule(const Slice& op, const Shape& input, bool train);
    static std::int64_t sizeAlong(const Slice& op, std::int64_t size, int dims, std::size_t axis);
    static void suit(Slice& op, const Shape& input) {
        op.end = input.empty() ? 1 : std::max<std::int64_t>(1, input[1] / 2);
    }
    static void words(const Slice& op, Words& w);
    static python::Module module(const Slice& op, const python::Place&) {
        return python::Module{"Slice"}.addAll({op.dim, op.start, op.end, op.step});
    }
    template <class V>
    static void fields(V& v, const Slice&) {
        using T = Slice;
        v.integer("dim", &T::dim, kAxisRange, "The axis that is cut; -1 is the last");
        v.integer("start", &T::start, {0, kMostSize}, "The first index that is kept");
        v.integer("end", &T::end, {1, kMostSize}, "Where the range ends; this index is not kept");
        v.integer("step", &T::step, {1, kMostSize}, "The distance between the indices that are kept");
    }
};

}  // namespace highwater::stack
