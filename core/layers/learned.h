#pragma once

#include "core/layers/about.h"

namespace highwater::stack {

/// The input times, or plus, a learned tensor, which is broadcast. layer_scale (arXiv 2103.17239) is
/// initialized to 1e-6, position_embedding to random numbers of variance 0.02^2. class_token prepends learned
/// tokens to an input of [N, tokens, features], the same for each sample (arXiv 2010.11929); it is
/// initialized like position_embedding.
struct Learned {
    enum class Kind { LayerScale, PositionEmbedding, ClassToken };
    Kind kind = Kind::LayerScale;
    Sizes shape = {1};  ///< aligned with the input's last axes; for a class_token [1, tokens, features]
    Sizes tokens =
        {};  ///< class_token only: the number in each of several learned tensors; empty: one tensor
    bool operator==(const Learned&) const = default;
};

/// The shapes of the learned tensors: one, or several for a class_token.
std::vector<Shape> learnedShapes(const Learned& learned);

template <>
struct About<Learned> : AboutMost {
    static constexpr std::array<std::string_view, 3> names = {"layer_scale", "position_embedding",
                                                              "class_token"};
    static constexpr Group group = Group::Learned;
    static constexpr std::array<const char*, 3> kHelp = {
        "The sizes of the learned factors, from the last axis: each the input's, or 1",
        "The sizes of what is learned and added, from the last axis: each the input's, or 1",
        "1, the number of tokens, and the input's features"};
    static constexpr SizesRange kPartsRange{
        .low = 1, .high = kMostSize, .most = kMostAxes, .mayBeEmpty = true};
    static bool learns(const Learned&) { return true; }
    static Axes axes(const Learned&) { return kAnyAxes; }
    static base::Result<LayerRule> rule(const Learned& op, const Shape& input, bool train);
    static void suit(Learned& op, const Shape& input);
    static void words(const Learned& op, Words& w) { w.add("of " + sizesText(op.shape)); }
    static python::Module module(const Learned& op, const python::Place& at);
    template <class V>
    static void fields(V& v, const Learned& of) {
        v.sizes("shape", &Learned::shape, listOf(1, kMostSize), kHelp[static_cast<std::size_t>(of.kind)]);
        if (of.kind == Learned::Kind::ClassToken) {
            v.sizes("tokens", &Learned::tokens, kPartsRange,
                    "How many tokens each learned tensor has, where there are several");
        }
    }
};

}  // namespace highwater::stack
