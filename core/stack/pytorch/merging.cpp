#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/layers/limits.h"
#include "core/stack/pytorch/operators.h"
#include "core/stack/pytorch/view_steps.h"

namespace highwater::stack::pytorch {

namespace {

void ofTwo(Converter& c, const std::string& kind) {
    const Ref first = c.tensor("self"), second = c.tensor("other");
    if (withConstant(c, kind)) {
        return;
    }
    if (c.values.activation(first) && c.values.activation(second) &&
        c.shape(first).size() != c.shape(second).size()) {
        return c.refuse(kind + " of tensors with different numbers of axes");
    }
    const int one = c.read(first), other = c.read(second);
    const bool commutes = kind != "sub" && kind != "div";
    if (c.endsInPlace()) {
        if (kind == "add" && c.shape(first) == c.shape()) {
            c.overwrite(first, {{"type", kind}, {"inplace", true}}, {one, other}, {});
        } else {
            c.overwrite(first, {{"type", kind}}, {one, other},
                        {.commutes = commutes, .remark = c.outOfPlace()});
        }
    } else {
        c.add({{"type", kind}}, {one, other}, c.trained(first) || c.trained(second), {.commutes = commutes});
    }
}

void scale(Converter& c, double value) {
    c.write({{"type", "scale"}, {"value", plainNumber(value)}}, c.endsInPlace(), false);
}

}  // namespace

void arithmetic(Converter& c) {
    const std::string kind = c.kind();
    if (c.number("alpha") != 1) {
        return c.refuse(kind + " with alpha");
    }
    if (c.isTensor("other")) {
        return ofTwo(c, kind);
    }
    const double number = c.number("other");
    if (kind == "mul") {
        return scale(c, number);
    }
    c.write({{"type", "offset"}, {"value", plainNumber(kind == "add" ? number : -number)}}, c.endsInPlace(),
            false);
}

void divide(Converter& c) {
    if (c.has("rounding_mode")) {
        return c.refuse("div with rounding");
    }
    if (c.isTensor("other")) {
        return ofTwo(c, "div");
    }
    const double by = c.number("other");
    if (by == 0) {
        return c.refuse("div by 0");
    }
    scale(c, 1 / by);
}

void negative(Converter& c) {
    scale(c, -1);
}

namespace {

/// The parameter that a tensor repeats for each sample; nullptr if it is something else.
const Constant* repeatedParameter(Converter& c, Ref ref) {
    const auto made = c.graph.values[ref].madeBy;
    const Call* const expand = made ? &c.graph.calls[*made] : nullptr;
    if (!expand || expand->name != "expand") {
        return nullptr;
    }
    const Ref source = Converter(c.graph, c.values, *expand).source();
    const auto* const constant = std::get_if<Constant>(&c.values.held(source));
    const Shape &shape = c.shape(source), &whole = c.shape(ref);
    const bool samples = shape.size() == 3 && whole.size() == 3 && shape[0] == 1 && shape[1] == whole[1] &&
                         shape[2] == whole[2];
    return constant && !constant->parameter.empty() && samples ? constant : nullptr;
}

/// Parameters that are repeated for each sample and prepended to an activation's tokens.
bool withClassToken(Converter& c, const Refs& parts, std::size_t dim) {
    if (parts.size() < 2 || parts.size() > static_cast<std::size_t>(kMostAxes) || dim != 1 ||
        !c.values.activation(parts.back())) {
        return false;
    }
    Extra extra;
    Whole tokens;
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
        const Constant* const token = repeatedParameter(c, parts[i]);
        if (!token) {
            return false;
        }
        tokens.push_back(c.shape(parts[i])[1]);
        extra.parameters.emplace(i == 0 ? "weight" : fmt::format("weight_{}", i + 1), token->parameter);
    }
    const Whole shape{1, std::accumulate(tokens.begin(), tokens.end(), std::int64_t{0}),
                      c.shape(parts[0])[2]};
    base::Json layer{{"type", "class_token"}, {"shape", shape}};
    if (tokens.size() > 1) {
        layer["tokens"] = tokens;
    }
    const int value = c.read(parts.back());
    c.add(std::move(layer), {value}, true, std::move(extra));
    return true;
}

}  // namespace

void concat(Converter& c) {
    const Refs parts = c.tensors("tensors");
    const std::size_t dim = c.axis("dim", c.shape().size());
    if (dim == 0) {
        return c.refuse("cat along the batch");
    }
    if (withClassToken(c, parts, dim)) {
        return;
    }
    if (parts.size() == 1) {
        return c.copyOf(parts.front());
    }
    std::vector<int> inputs;
    for (const Ref part : parts) {
        inputs.push_back(c.read(part));
    }
    base::Json layer{{"type", "concat"}};
    c.put(layer, "dim", dim, 1);
    c.add(std::move(layer), inputs,
          std::any_of(parts.begin(), parts.end(), [&c](Ref part) { return c.trained(part); }));
}

/// Joins tensors along a new axis; a single one is copied.
void stack(Converter& c) {
    const Refs parts = c.tensors("tensors");
    const std::size_t dim = c.axis("dim", c.shape().size());
    std::vector<int> inputs;
    bool learned = false;
    Shape whole;
    for (const Ref part : parts) {
        const Activation* const held = c.values.activation(part);
        if (!held || dim == 0 || dim > held->shape.size()) {
            return c.refuse("stack");
        }
        whole = held->shape;
        learned = learned || c.trained(part);
        Shape shape = held->shape;
        shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(dim), 1);
        inputs.push_back(parts.size() == 1 ? c.read(part)
                                           : c.read(reshaped(*held, c.values.cell(*held).shape, shape)));
    }
    if (c.failed() || inputs.empty() || c.call.outputs.empty()) {
        return c.refuse("stack");
    }
    if (inputs.size() > 1) {
        base::Json layer{{"type", "concat"}};
        c.put(layer, "dim", dim, 1);
        return c.add(std::move(layer), inputs, learned);
    }
    const Step& step = c.values.append({{"type", "clone"}}, inputs, c.call.scopes, {});
    c.view(reshaped(c.values.hold({step.output, whole, learned, false}), whole, c.shape()));
}

/// For the network's input, along the channels, it is the same as concat, because nothing is differentiated.
void repeat(Converter& c) {
    const Ref source = c.tensor("self");
    const Whole repeats = c.integers("repeats");
    bool channels = repeats.size() == c.shape(source).size() && repeats.size() >= 2 && repeats[1] >= 1;
    for (std::size_t axis = 0; axis < repeats.size(); ++axis) {
        channels = channels && (axis == 1 || repeats[axis] == 1);
    }
    if (!channels || repeats[1] > 256) {
        return c.refuse("repeat along another axis than the channels");
    }
    if (c.trained(source)) {
        return c.refuse("repeat of what was computed with parameters");
    }
    if (repeats[1] == 1) {
        return c.copyOf(source);
    }
    const int value = c.read(source);
    c.add({{"type", "concat"}}, std::vector<int>(static_cast<std::size_t>(repeats[1]), value), false);
}

}  // namespace highwater::stack::pytorch
