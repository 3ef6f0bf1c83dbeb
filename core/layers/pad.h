#pragma once

#include <algorithm>

#include "core/layers/about.h"
#include "core/layers/axis_size.h"

namespace highwater::stack {

/// Pads the spatial axes and the channels, as torch.nn.functional.pad does.
struct Pad {
    Sizes padding = {1, 1};                 ///< before and after the last axis, then the axis before it, ...
    PaddingMode mode = PaddingMode::Zeros;  ///< Zeros: `value` (PyTorch calls it "constant")
    double value = 0;
    bool operator==(const Pad&) const = default;
};

/// Returns how many elements a pad adds before and after `axis` of a tensor with `axes` axes (N and C
/// included); {0, 0} for an axis not in its list.
std::array<std::int64_t, 2> addedTo(const Pad& pad, int axes, int axis);

template <>
struct About<Pad> : AboutMost {
    static constexpr std::array<std::string_view, 1> names = {"pad"};
    static constexpr Group group = Group::Resolution;
    static base::Result<LayerRule> rule(const Pad& op, const Shape& input, bool train);
    static std::int64_t sizeAlong(const Pad& op, std::int64_t size, int dims, std::size_t axis) {
        const auto [before, after] = addedTo(op, dims + 2, static_cast<int>(axis) + 2);
        return canPad(op.mode, std::max(before, after), size) ? size + before + after : 0;
    }
    static void suit(Pad& op, const Shape& input) {
        op.padding.assign(input.size() > 2 ? 2 * (input.size() - 2) : op.padding.size(), 1);
    }
    static void words(const Pad& op, Words& w);
    static python::Module module(const Pad& op, const python::Place& at);
    template <class V>
    static void fields(V& v, const Pad&) {
        using T = Pad;
        v.sizes("padding", &T::padding, listOf(0, kMostExtent, kMostNumbers),
                "What is added before and after each spatial axis, the last axis first: 1 × 1 × 0 × 2.\n"
                "Two more numbers are those of the channels");
        v.choice("mode", &T::mode, kPadModes, "What the padding is filled with");
        v.number("value", &T::value, -kMostNumber, kMostNumber, "The constant; for mode constant");
        v.onlyIf([](const T& op) { return op.mode == PaddingMode::Zeros; });
    }
};

}  // namespace highwater::stack
