#pragma once

#include "core/layers/window_sizes.h"

namespace highwater::stack {

/// The mask added to the same products if the windows were shifted: -100 for two positions that were not
/// adjacent before, otherwise 0. Computed in each step. Reads nothing. Output: [1, windows, 1, positions,
/// positions].
struct WindowMask {
    Sizes size = {7, 7, 7};        ///< the volume's one to three sizes: multiples of the window's
    Sizes windowSize = {7, 7, 7};  ///< same number of sizes
    Sizes shiftSize = {3, 3, 3};   ///< same number of sizes, each below the window's
    bool operator==(const WindowMask&) const = default;
};

template <>
struct About<WindowMask> : AboutMost {
    static constexpr std::array<std::string_view, 1> names = {"window_mask"};
    static constexpr Group group = Group::Windows;
    static constexpr bool readsNothing = true;
    static bool mixesAxes(const WindowMask&) { return true; }
    static Axes axes(const WindowMask&) { return kAnyAxes; }
    static base::Result<LayerRule> rule(const WindowMask& op, const Shape& input, bool train);
    static std::int64_t sizeAlong(const WindowMask& op, std::int64_t, int, std::size_t axis) {
        return axis == 0 ? 1 : placesOf(op.windowSize);
    }
    static void words(const WindowMask& op, Words& w);
    static python::Module module(const WindowMask& op, const python::Place& at);
    template <class V>
    static void fields(V& v, const WindowMask&) {
        using T = WindowMask;
        v.sizes("size", &T::size, kWindowRange,
                "The sizes of the volume that is divided, multiples of the window's");
        v.sizes("window_size", &T::windowSize, kWindowRange, "The sizes of a window");
        v.sizes("shift_size", &T::shiftSize, {.low = 0, .high = kMostSize, .shown = true},
                "How far the windows were shifted along each axis");
    }
};

}  // namespace highwater::stack
