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

/// Everything about a type of layer. Each type has one header, with its struct T and `About<T>`, which
/// provides all that the rest of the program needs: names, fields, shape rule, parameters, storage, texts and
/// Python. core/layers/layers.h lists the types.
///
/// `About<T>` derives from AboutMost and redefines what differs:
///
///     names     the type's names in files and on screen. A type with several names has a member `kind`, an
///               enum in the same order.
///     fields    the options, in the order of the editor:
///               template <class V> static void fields(V& v, const T& of);
///               `of` gives the kind. The visitor V has one function for each kind of field. All take
///               the key (PyTorch's name), the member, the range, and what the option means:
///
///         needed, integer, number, toggle, text, choice, sizes, padding
///         dims         the number of spatial axes; 0: the input's
///         factors      positive numbers, one for all axes or one per axis; not together with `size`
///         outputs      ids of earlier outputs, from `fewest` to `most`
///         layers       a list of layers
///         onlyIf       the last field applies only if this condition holds
///
///     sources   std::vector<python::Source<T>>, if PyTorch has no such module and the class that it is
///               exported as needs more than the file of its own name in resources/export/layers.
///     made      what a layer consists of, if the engine and the predictor make it of the same operators:
///               template <class Ops>
///               static typename Ops::Tensor made(const T& op, Ops& ops, typename Ops::Tensor x);
///               Ops is engine::Operators or predict::ghost::Operators.
///     parameters  std::vector<LearnedTensor>, for such a layer if it learns; ops.parameter(i) is the i-th.
namespace highwater::stack {

/// A range of whole numbers.
struct Range {
    std::int64_t low = 0, high = kMostSize;
};

/// A list of whole numbers in a field, all within a range.
struct SizesRange {
    std::int64_t low = 1, high = kMostExtent;
    std::size_t most = 3;     ///< maximum count; if it is 3, one number applies to all axes
    bool shown = false;       ///< written to files even if it is the default
    bool mayBeEmpty = false;  ///< empty: not given
};
/// For a list that is not one number per axis: each number stands for itself.
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

/// The output shape and the number of parameters of one layer, by PyTorch's rules (torch.nn's pages,
/// "Shape"). Errors say what is invalid; they do not name the layer, which the caller adds.
struct LayerRule {
    Shape output;
    std::int64_t parameters =
        0;  ///< learned values; buffers (running statistics, fixed kernels) do not count
};

/// A learned tensor that begins with one value everywhere.
struct LearnedTensor {
    Shape shape;
    double value = 0;
};

/// How many axes a layer's input may have: most layers need N, C and one to three spatial sizes.
struct Axes {
    std::size_t fewest = 3, most = 5;
};
inline constexpr Axes kAnyAxes{2, static_cast<std::size_t>(kMostAxes)};

/// The factor by which a layer changes sizes, to about size * up / down. Elements lost or padded at the ends
/// are ignored.
struct AxisScale {
    std::int64_t down = 1, up = 1;  ///< from 1 to kMostExtent
};

/// Where a layer's output is stored.
enum class Lies {
    Apart,    ///< in separate memory
    OnInput,  ///< it is, or may be, the input itself or a view of all of it
    InInput,  ///< a view that an in-place layer must not write to: a part of the input, or its axes permuted
};

/// The groups of the menu for adding layers, in its order.
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

/// Defaults that are right for most layers.
struct AboutMost {
    static constexpr Group group = Group::Other;
    /// It has learned values: only such layers can be reused by a Shared.
    static bool learns(const auto&) { return false; }
    /// It writes its output over its input.
    static bool worksInPlace(const auto&) { return false; }
    /// Its output does not depend on its input. In the list it comes just before a branch, from which the
    /// next layer continues.
    static constexpr bool readsNothing = false;
    /// Autograd saves its output for backward. Other layers save their input, a copy of it, or nothing.
    static bool savesResult(const auto&) { return false; }
    static Lies lies(const auto&, bool /*train*/) { return Lies::Apart; }
    static bool drawsRandomly(const auto&) { return false; }
    /// It is one operator whose backward needs only its input and its parameters: a convolution that does not
    /// pad a copy of its input first.
    static bool resumable(const auto&) { return false; }
    /// Sizes along one axis of its output may depend on another axis of its input.
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
    /// The layer may be invalid: a value out of range is clamped.
    static AxisScale scaleAlong(const auto&, std::size_t /*axis*/) { return {}; }
    /// Sets a new layer's options to suit its input, which has no axes if it is unknown.
    static void suit(auto&, const Shape& /*input*/) {}
    /// The options that differ from the defaults, in words.
    static void words(const auto&, Words&) {}
    static python::Module module(const auto&, const python::Place&) { return {}; }
    template <class V>
    static void fields(V&, const auto&) {}
};

template <class T>
struct About;

/// A default layer of one of the kinds of a type.
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
