#include "core/layers/merge.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/layers/rules.h"

namespace highwater::stack {

using base::Error;
using base::Result;
using Back = About<Merge>::Back;

namespace {

/// The shape of a product of the matrices in the last two axes.
Result<Shape> matmulShape(const Shape& left, const Shape& right, const std::string& where) {
    const std::size_t axes = left.size();
    const bool fits = axes >= 3 && right.size() == axes &&
                      std::equal(left.begin(), left.end() - 2, right.begin()) &&
                      left[axes - 1] == right[axes - 2];
    if (!fits) {
        return Error{
            fmt::format("multiplies {} by the {} of {}; all sizes but the last two must be equal, and the "
                        "last of one the "
                        "second to last of the other",
                        base::formatShape(left), base::formatShape(right), where)};
    }
    Shape output = left;
    output.back() = right.back();
    return output;
}

/// The shape of scaled_dot_product_attention: that of the queries with the last size of the values.
Result<Shape> attentionShape(const Shape& queries, const Shape& keys, const Shape& values) {
    const std::size_t axes = queries.size();
    const auto batchOf = [axes](const Shape& of) {
        return of.size() == axes ? Shape(of.begin(), of.end() - 2) : Shape();
    };
    const bool fits = axes >= 3 && batchOf(keys) == batchOf(queries) && batchOf(values) == batchOf(queries) &&
                      keys.back() == queries.back() && values[axes - 2] == keys[axes - 2];
    if (!fits) {
        return Error{fmt::format(
            "cannot compare the queries {} with the keys {} and take the values {}; all sizes but "
            "the last two must be equal, those of queries and keys in the last one, and those of "
            "keys and values in the one before",
            base::formatShape(queries), base::formatShape(keys), base::formatShape(values))};
    }
    Shape output = queries;
    output.back() = values.back();
    return output;
}

/// Whether the mask can be added to the products of these queries and keys.
std::optional<Error> checkMask(const Shape& queries, const Shape& keys, const Shape& mask) {
    Shape products = queries;
    products.back() = keys[keys.size() - 2];
    bool fits = mask.size() == products.size();
    for (std::size_t i = 0; fits && i < mask.size(); ++i) {
        fits = mask[i] == 1 || mask[i] == products[i];
    }
    if (fits) {
        return std::nullopt;
    }
    return Error{
        fmt::format("cannot add the mask {} to the products {}; each size must be the products' or 1",
                    base::formatShape(mask), base::formatShape(products))};
}

Result<Shape> joinedShape(int dim, Shape shape, const Shape& back, const std::string& where) {
    const auto axes = static_cast<int>(shape.size());
    const int axis = dim < 0 ? dim + axes : dim;
    if (axis < 1 || axis >= axes) {
        return Error{fmt::format("dim {} is not an axis of {} that can be joined; give 1 to {}", dim,
                                 base::formatShape(shape), axes - 1)};
    }
    bool fits = back.size() == shape.size();
    for (int i = 0; fits && i < axes; ++i) {
        const auto at = static_cast<std::size_t>(i);
        fits = i == axis || shape[at] == back[at];
    }
    if (!fits) {
        return Error{fmt::format("joins {} and the {} of {}; all sizes but {} must be equal",
                                 base::formatShape(shape), base::formatShape(back), where,
                                 axis == 1 ? "the channels" : fmt::format("those of axis {}", axis))};
    }
    shape[static_cast<std::size_t>(axis)] += back[static_cast<std::size_t>(axis)];
    return shape;
}

/// PyTorch's broadcasting rule for tensors with the same number of axes. (A batch of 1 among larger ones
/// comes from a layer that reads nothing.)
Result<Shape> broadcast(Merge::Kind kind, Shape shape, const Shape& back, const std::string& where) {
    bool fits = back.size() == shape.size();
    const Shape given = shape;
    for (std::size_t i = 0; fits && i < shape.size(); ++i) {
        fits = shape[i] == back[i] || shape[i] == 1 || back[i] == 1;
        shape[i] = std::max(shape[i], back[i]);
    }
    if (fits) {
        return shape;
    }
    const std::string own = base::formatShape(given), its = base::formatShape(back);
    constexpr std::string_view rule = "the shapes must be equal, or one must have size 1 where they differ";
    return Error{kind == Merge::Kind::Sub
                     ? fmt::format("subtracts the {} of {} from {}; {}", its, where, own, rule)
                     : fmt::format("{} {} {} the {} of {}; {}",
                                   kind == Merge::Kind::Add   ? "adds"
                                   : kind == Merge::Kind::Div ? "divides"
                                                              : "multiplies",
                                   own, kind == Merge::Kind::Add ? "to" : "by", its, where, rule)};
}

Result<Shape> mergedWith(const Merge& op, Shape soFar, const Back& back) {
    switch (op.kind) {
        case Merge::Kind::Branch:
            return back.shape;
        case Merge::Kind::Matmul:
            return matmulShape(soFar, back.shape, back.where);
        case Merge::Kind::Concat:
            return joinedShape(op.dim, std::move(soFar), back.shape, back.where);
        default:
            return broadcast(op.kind, std::move(soFar), back.shape, back.where);
    }
}

}  // namespace

Result<LayerRule> About<Merge>::rule(const Merge& op, const Shape& input, const std::vector<Back>& back) {
    if (op.kind == Kind::Attention) {
        const auto made = attentionShape(input, back.at(0).shape, back.at(1).shape);
        if (made && back.size() > 2) {
            if (op.isCausal) {
                return Error{"has a mask, so is_causal must be false"};
            }
            if (auto error = checkMask(input, back[0].shape, back[2].shape)) {
                return *error;
            }
        }
        return made ? Result<LayerRule>(LayerRule{*made, 0}) : made.error();
    }
    Shape output = input;
    for (const Back& each : back) {
        auto merged = mergedWith(op, std::move(output), each);
        if (!merged) {
            return merged.error();
        }
        output = std::move(*merged);
    }
    if (op.inplace && output != input) {
        return Error{
            fmt::format("in place, the sum of {} does not fit into the input of {}; set inplace to false",
                        base::formatShape(output), base::formatShape(input))};
    }
    return LayerRule{std::move(output), 0};
}

void About<Merge>::words(const Merge& op, Words& w) {
    w.add("with " + idsText(op.with));
    w.addIf(op.kind == Kind::Concat && op.dim != Merge().dim, fmt::format("dim {}", op.dim));
    w.addIf(op.inplace, "in place");
    w.addIf(op.isCausal, "causal");
    w.addIf(op.scale > 0, fmt::format("scale {:g}", op.scale));
    w.addIf(op.dropoutP > 0, fmt::format("dropout {:g}", op.dropoutP));
}

}  // namespace highwater::stack
