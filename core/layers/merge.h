#pragma once

#include <string>
#include <vector>

#include "core/layers/softmax.h"

namespace highwater::stack {

/// Reads the earlier output named `with`: adds it to the current tensor, subtracts it from the current
/// tensor, multiplies both, divides the current tensor by it, concatenates them along one axis, multiplies
/// the matrices in the last two axes (Matmul), or (Branch) continues from it instead. Add, Sub, Mul and Div
/// broadcast tensors along axes with one element; along the batch only if the layer reads nothing
/// (readsNothing). Concat takes several outputs: first the current tensor, then these in their order.
/// Attention is torch.nn.functional.scaled_dot_product_attention: softmax(scale q k^T + mask) v, where q is
/// the current tensor, k and v the two earlier outputs, all of [N, heads, tokens, size]. The mask, a third
/// output, is optional; each of its sizes is that of the products or 1. With Branch, two paths can start at
/// one layer; the output before the branch must then be read by a later merge.
struct Merge {
    enum class Kind { Add, Sub, Mul, Div, Concat, Matmul, Attention, Branch };
    Kind kind = Kind::Add;
    std::vector<std::string>
        with;     ///< ids of earlier outputs: one, for Concat one or more, for Attention two or three
    int dim = 1;  ///< Concat only; not the batch; below 0: counted from the end
    bool inplace = false;   ///< Add only: the sum is written over the layer's input, in its type
    bool isCausal = false;  ///< Attention only: query i attends to the keys up to i
    double scale = 0;       ///< Attention only; 0: 1 / sqrt(size)
    double dropoutP = 0;    ///< Attention only, in training: fraction of the weights that is set to zero
    bool operator==(const Merge&) const = default;
};

template <>
struct About<Merge> : AboutMost {
    using Kind = Merge::Kind;
    static constexpr std::array<std::string_view, 8> names = {
        "add", "sub", "mul", "div", "concat", "matmul", "scaled_dot_product_attention", "branch"};
    static constexpr Group group = Group::Merge;
    static constexpr std::array<const char*, 8> kHelp = {
        "The id of the earlier output that is added; sizes of 1 are repeated",
        "The id of the earlier output that is subtracted; sizes of 1 are repeated",
        "The id of the earlier output to multiply by; sizes of 1 are repeated",
        "The id of the earlier output to divide by; sizes of 1 are repeated",
        "The ids of the earlier outputs that are joined along one axis, with commas between",
        "The id of the earlier output whose matrices, of the last two axes, are on the right",
        "The ids of the earlier outputs that are the keys, the values and, if there is one, the mask that\n"
        "is added to their products, with commas between; "
        "the layer's input are the queries, all of (heads, places, size) for each sample",
        "The id of the earlier output that the layers from here on start from"};
    static bool worksInPlace(const Merge& op) { return op.inplace; }
    static bool savesResult(const Merge& op) { return op.kind == Kind::Attention; }
    static bool drawsRandomly(const Merge& op) { return op.dropoutP > 0; }
    static bool mixesAxes(const Merge& op) { return op.dim != Merge().dim; }

    /// An earlier output that a merge reads, and the name of its layer in errors.
    struct Back {
        const Shape& shape;
        std::string where;
    };
    /// The shape of the current tensor merged with the earlier outputs, of which there is at least one.
    static base::Result<LayerRule> rule(const Merge& op, const Shape& input, const std::vector<Back>& back);
    static void words(const Merge& op, Words& w);
    template <class V>
    static void fields(V& v, const Merge& of) {
        using T = Merge;
        const bool attention = of.kind == Kind::Attention;
        v.outputs("with", &T::with, 1,
                  of.kind == Kind::Concat ? kMostJoined
                  : attention             ? 3
                                          : 1,
                  kHelp[static_cast<std::size_t>(of.kind)]);
        if (of.kind == Kind::Add) {
            v.toggle("inplace", &T::inplace, "Write the sum over the layer's input instead of keeping both");
        }
        if (attention) {
            v.toggle("is_causal", &T::isCausal, "Each query sees only the keys up to its own place");
            v.number("scale", &T::scale, 0, kMostNumber,
                     "What products of queries and keys are multiplied by; 0: 1 / sqrt(size)");
            v.number("dropout_p", &T::dropoutP, 0, 1,
                     "The share of the weights of attention set to zero while training");
        }
        if (of.kind == Kind::Concat) {
            v.integer("dim", &T::dim, kAxisRange,
                      "The axis along which they are joined: 1 is the channels, -1 the last");
        }
    }
};

}  // namespace highwater::stack
