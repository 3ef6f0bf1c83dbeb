#pragma once

#include "core/layers/about.h"
#include "core/layers/axis_size.h"

namespace highwater::stack {

/// A part of the input along the spatial axes, as a view.
struct Crop {
    Sizes start = {0};  ///< the first element that is kept
    Sizes size = {1};   ///< how many elements are kept
    bool operator==(const Crop&) const = default;
};

template <>
struct About<Crop> : AboutMost {
    static constexpr std::array<std::string_view, 1> names = {"crop"};
    static constexpr Group group = Group::Resolution;
    static Lies lies(const Crop&, bool) { return Lies::InInput; }
    static base::Result<LayerRule> rule(const Crop& op, const Shape& input, bool train);
    static std::int64_t sizeAlong(const Crop& op, std::int64_t size, int, std::size_t axis) {
        const std::int64_t kept = along(op.size, axis);
        return along(op.start, axis) + kept <= size ? kept : 0;
    }
    static void suit(Crop& op, const Shape& input) {
        if (input.size() > 2) {
            op.size.assign(input.begin() + 2, input.end());
        }
    }
    static void words(const Crop& op, Words& w);
    static python::Module module(const Crop& op, const python::Place& at);
    template <class V>
    static void fields(V& v, const Crop&) {
        v.sizes("start", &Crop::start, {.low = 0, .high = kMostSize},
                "The first element that is kept along each spatial axis");
        v.sizes("size", &Crop::size, {.low = 1, .high = kMostSize, .shown = true},
                "How many elements are kept along each spatial axis");
    }
};

}  // namespace highwater::stack
