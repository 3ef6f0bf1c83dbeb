#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/base/result.h"
#include "core/layers/limits.h"
#include "core/layers/module.h"
#include "core/layers/tensors.h"
#include "core/layers/words.h"

/// What is known of a type of layer. Each type has one header, with its struct T and `About<T>`, which says
/// all that the rest of the program asks about it: names, fields, shape rule, parameters, storage, words and
/// Python. core/layers/layers.h lists the types.
///
/// `About<T>` derives from AboutMost and redefines what differs:
///
///     names     the type's names in files and on screen. A type with several has a member `kind`, an enum
///               that counts them in this order.
///     fields    the options, in the order of the editor:
///               template <class V> static void fields(V& v, const T& of);
///               `of` says which kind it is. The visitor V has one function for each kind of field. All take
///               the key (PyTorch's name), the member, the range, and what the option means:
///
///         needed, integer, number, toggle, text, choice, sizes, padding
///         dims         the number of spatial axes, 0 where it is the input's
///         factors      positive numbers, one or one an axis; not beside `size`
///         outputs      ids of earlier outputs, from `fewest` to `most`
///         layers       a list of layers
///         onlyIf       the field added last counts only where this holds
///
///     sources   std::vector<python::Source<T>>, if PyTorch has no such module.
namespace highwater::stack {

/// A range of whole numbers.
struct Range {
    std::int64_t low = 0, high = kMostSize;
};

/// A list of whole numbers in a field, all within a range.
struct SizesRange {
    std::int64_t low = 1, high = kMostExtent;
    std::size_t most = 3;     ///< numbers; one counts for all axes where it is 3
    bool shown = false;       ///< written to files even where it is the default
    bool mayBeEmpty = false;  ///< empty: not given
};
/// Of a list that is not one number an axis: each number stands for itself.
constexpr SizesRange listOf(std::int64_t low, std::int64_t high, std::size_t most = kMostAxes) {
    return {low, high, most, true, false};
}

inline constexpr double kMostNumber = 1e9;

inline constexpr std::array<std::string_view, 4> kPaddingModes = {"zeros", "reflect", "replicate",
                                                                  "circular"};
inline constexpr std::array<std::string_view, 4> kPadModes = {"constant", "reflect", "replicate", "circular"};
template <class E>
std::string_view wordOf(std::span<const std::string_view> words, E value) {
    return words[static_cast<std::size_t>(value)];
}

/// The output's shape and the number of parameters of one layer, by PyTorch's rules (torch.nn's pages,
/// "Shape"). Errors say what does not fit; they do not name the layer, which the caller adds.
struct LayerRule {
    Shape output;
    std::int64_t parameters =
        0;  ///< learned values; buffers (running statistics, fixed kernels) do not count
};

/// How many axes a layer's input may have: most need N, C and one to three spatial sizes.
struct Axes {
    std::size_t fewest = 3, most = 5;
};
inline constexpr Axes kAnyAxes{2, static_cast<std::size_t>(kMostAxes)};

/// The factor by which a layer changes sizes, to about size * up / down. What is lost or padded at the ends
/// does not count.
struct AxisScale {
    std::int64_t down = 1, up = 1;  ///< from 1 to kMostExtent
};

/// Where a layer's output lies.
enum class Lies {
    Apart,    ///< in memory of its own
    OnInput,  ///< it is, or may be, the input itself or a view of all of it
    InInput,  ///< a view that an in-place layer must not write to: a part of the input, or its axes in
              ///< another order
};

/// The groups of the menu that adds layers, in its order.
enum class Group {
    Convolution,
    Normalization,
    Activation,
    Resolution,
    Regularization,
    Constant,
    Learned,
    Windows,
    Classifier,
    Axes,
    Merge,
    Again,
    DeepSupervision,
    Other
};

/// What holds for most layers.
struct AboutMost {
    static constexpr Group group = Group::Other;
    /// It has learned values: exactly these can be used again by a Shared.
    static bool learns(const auto&) { return false; }
    /// It writes its output over its input.
    static bool worksInPlace(const auto&) { return false; }
    /// Its output does not depend on its input. It follows in the list what the layer after it continues from
    /// by a branch.
    static constexpr bool readsNothing = false;
    /// Autograd saves its output for backward. Other layers save their input, a copy of it, or nothing.
    static bool savesResult(const auto&) { return false; }
    static Lies lies(const auto&, bool /*train*/) { return Lies::Apart; }
    static bool drawsRandomly(const auto&) { return false; }
    /// It is one operator whose backward needs only its input and its parameters: a convolution that does not
    /// pad a copy of its input first.
    static bool resumable(const auto&) { return false; }
    /// Sizes along one axis of its output may come from another axis of its input.
    static bool mixesAxes(const auto&) { return false; }
    static Axes axes(const auto&) { return {}; }
    /// `input` has as many sizes as axes() allows, each from 1 to kMostSize.
    static base::Result<LayerRule> rule(const auto&, const Shape& input, bool /*train*/) {
        return LayerRule{input, 0};
    }
    /// The output's size along a spatial axis (axis_size.h) of a valid layer.
    static std::int64_t sizeAlong(const auto&, std::int64_t size, int /*dims*/, std::size_t /*axis*/) {
        return size;
    }
    /// The layer may be invalid: a value out of range counts as the nearest valid one.
    static AxisScale scaleAlong(const auto&, std::size_t /*axis*/) { return {}; }
    /// Gives a new layer the options that suit its input; no axes where that is not known.
    static void suit(auto&, const Shape& /*input*/) {}
    /// The options that are not the usual ones.
    static void words(const auto&, Words&) {}
    static python::Module module(const auto&, const python::Place&) { return {}; }
    template <class V>
    static void fields(V&, const auto&) {}
};

template <class T>
struct About;

/// One of the kinds of a type.
template <class T>
T ofKind(std::size_t kind) {
    T made;
    if constexpr (About<T>::names.size() > 1) {
        made.kind = static_cast<typename T::Kind>(kind);
    }
    if constexpr (requires { About<T>::adjust(made); }) {
        About<T>::adjust(made);  // defaults that differ between kinds
    }
    return made;
}

}  // namespace highwater::stack
