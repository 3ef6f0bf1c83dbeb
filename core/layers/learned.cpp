#include "core/layers/learned.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/base/text.h"
#include "core/layers/rules.h"

namespace highwater::stack {

using base::Error;
using base::Result;

namespace {

Result<LayerRule> classTokenRule(const Learned& op, const Shape& input) {
    constexpr std::size_t kAxes = 3;
    const bool fits = input.size() == kAxes && op.shape.size() == kAxes && op.shape[0] == 1 &&
                      op.shape[1] >= 1 && op.shape[1] <= kMostSize && op.shape[2] == input[2];
    if (!fits) {
        return Error{
            fmt::format("shape {} does not fit its input {}; an input has samples, places and "
                        "features, and shape is 1, the number of tokens and the input's features",
                        base::formatShape(op.shape), base::formatShape(input))};
    }
    if (!op.tokens.empty() &&
        std::accumulate(op.tokens.begin(), op.tokens.end(), std::int64_t{0}) != op.shape[1]) {
        return Error{fmt::format("tokens {} must add up to the {} of shape", base::formatShape(op.tokens),
                                 base::counted(op.shape[1], "token"))};
    }
    const auto count = weightCount({}, op.shape, static_cast<int>(op.shape.size()));
    if (!count) {
        return count.error();
    }
    return LayerRule{{input[0], op.shape[1] + input[1], input[2]}, *count};
}

}  // namespace

std::vector<Shape> learnedShapes(const Learned& learned) {
    std::vector<Shape> shapes(std::max<std::size_t>(1, learned.tokens.size()), learned.shape);
    for (std::size_t i = 0; i < learned.tokens.size(); ++i) {
        shapes[i][1] = learned.tokens[i];
    }
    return shapes;
}

Result<LayerRule> About<Learned>::rule(const Learned& op, const Shape& input, bool) {
    if (op.kind == Learned::Kind::ClassToken) {
        return classTokenRule(op, input);
    }
    bool fits = !op.shape.empty() && op.shape.size() <= input.size();
    for (std::size_t i = 1; fits && i <= op.shape.size(); ++i) {
        const std::int64_t size = op.shape[op.shape.size() - i];
        fits = size == 1 || (size == input[input.size() - i] && i < input.size());
    }
    if (!fits) {
        return Error{fmt::format(
            "shape {} does not fit its input {}; from the end, each size must be the input's or 1, and 1 "
            "for the batch",
            base::formatShape(op.shape), base::formatShape(input))};
    }
    const auto count = weightCount({}, op.shape, static_cast<int>(op.shape.size()));
    return count ? Result<LayerRule>(LayerRule{input, *count}) : count.error();
}

void About<Learned>::suit(Learned& op, const Shape& input) {
    if (input.size() < 2) {
        return;
    }
    op.shape.assign(input.begin() + 1, input.end());
    if (op.kind == Learned::Kind::ClassToken) {
        op.shape = {1, 1, input.back()};
    }
    if (op.kind == Learned::Kind::LayerScale) {
        std::fill(op.shape.begin() + 1, op.shape.end(), 1);
    }
}

python::Module About<Learned>::module(const Learned& op, const python::Place&) {
    constexpr std::array classes = {"LayerScale", "PositionEmbedding", "ClassToken"};
    python::Module made{classes[static_cast<std::size_t>(op.kind)]};
    made.addAll(op.shape);
    return op.tokens.empty() ? made : made.add("tokens=" + python::tuple(op.tokens));
}

}  // namespace highwater::stack
