#pragma once

#include "core/layers/window_sizes.h"

namespace highwater::stack {

/// The bias added to the products of queries and keys within windows of a volume, by relative position (Swin
/// Transformer, arXiv 2103.14030): a learned row for each relative position, looked up for each pair of
/// positions. Reads nothing. Output: [1, num_heads, positions, positions]. The table has product(2 w - 1)
/// rows over the window's sizes w, of num_heads values each, and is initialized with random numbers of
/// variance 0.02^2.
struct RelativePositionBias {
    Sizes windowSize = {7, 7, 7};  ///< one to three sizes
    std::int64_t numHeads = 1;
    std::int64_t places = 0;  ///< use the first `places` positions of a window; 0: all
    bool copyIndex = false;   ///< copy the indices before use, as MONAI does
    bool operator==(const RelativePositionBias&) const = default;
};

template <>
struct About<RelativePositionBias> : AboutMost {
    static constexpr std::array<std::string_view, 1> names = {"relative_position_bias"};
    static constexpr Group group = Group::Windows;
    static constexpr bool readsNothing = true;
    static bool learns(const RelativePositionBias&) { return true; }
    static bool mixesAxes(const RelativePositionBias&) { return true; }
    static Axes axes(const RelativePositionBias&) { return kAnyAxes; }
    static base::Result<LayerRule> rule(const RelativePositionBias& op, const Shape& input, bool train);
    static std::int64_t sizeAlong(const RelativePositionBias& op, std::int64_t, int, std::size_t) {
        return op.places == 0 ? placesOf(op.windowSize) : op.places;
    }
    static void words(const RelativePositionBias& op, Words& w);
    static python::Module module(const RelativePositionBias& op, const python::Place& at);
    template <class V>
    static void fields(V& v, const RelativePositionBias&) {
        using T = RelativePositionBias;
        v.sizes("window_size", &T::windowSize, kWindowRange, "The sizes of a window, one to three");
        v.needed("num_heads", &T::numHeads, {1, kMostSize},
                 "The heads of the attention; each has a value for each distance");
        v.integer("places", &T::places, {0, kMostSize},
                  "How many positions of a window are used, counted from the first; 0: all");
        v.toggle("copy_index", &T::copyIndex, "The indices are copied before they are used, as MONAI does");
    }
};

}  // namespace highwater::stack
