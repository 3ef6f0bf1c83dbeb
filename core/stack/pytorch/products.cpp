#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/stack/pytorch/operators.h"
#include "core/stack/pytorch/view_steps.h"

/// Products: of matrices, with parameters, and with random numbers.
namespace highwater::stack::pytorch {

namespace {

/// Whether these tensors have the same number of axes, and equal sizes except for the last two; otherwise
/// refuses.
bool areFactors(Converter& c, const Activation* left, const Activation* right) {
    if (!left || !right) {
        c.refuse(c.call.name + " with a constant");
    } else if (left->shape.size() < 3 || right->shape.size() != left->shape.size()) {
        c.refuse(c.call.name + " of tensors of other than three axes or more, as many each");
    } else if (!std::equal(left->shape.begin(), left->shape.end() - 2, right->shape.begin())) {
        c.refuse(c.call.name + " that repeats an axis");
    }
    return !c.failed();
}

/// With the last two axes swapped.
Activation transposed(Converter& c, const Activation& held) {
    Whole dims(held.shape.size());
    std::iota(dims.begin(), dims.end(), 0);
    std::swap(dims[dims.size() - 1], dims[dims.size() - 2]);
    return permuted(held, c.values.cell(held).shape, dims);
}

/// The product of two tensors; the second one is transposed first if `transposes`.
void product(Converter& c, Ref first, Ref second, bool transposes) {
    const Activation *left = c.values.activation(first), *right = c.values.activation(second);
    if (!areFactors(c, left, right)) {
        return;
    }
    const Activation other = transposes ? transposed(c, *right) : *right;
    const bool learned = c.trained(first) || c.trained(second);
    const int one = c.read(first), two = c.read(other);
    c.add({{"type", "matmul"}}, {one, two}, learned);
}

std::string without(const std::string& labels, const std::string& those) {
    std::string left;
    std::copy_if(labels.begin(), labels.end(), std::back_inserter(left),
                 [&those](char label) { return those.find(label) == std::string::npos; });
    return left;
}

}  // namespace

void matmul(Converter& c) {
    product(c, c.tensor("self"), c.tensor(c.has("mat2") ? "mat2" : "other"), false);
}

/// The equations that are a matrix product: "blxd,blyd->blxy", "bhxy,bhyd->bhxd".
void einsum(Converter& c) {
    std::string equation = c.text("equation");
    std::erase(equation, ' ');
    const Refs of = c.tensors("tensors");
    const std::size_t comma = equation.find(','), arrow = equation.find("->");
    if (of.size() != 2 || comma == std::string::npos || arrow == std::string::npos || arrow < comma) {
        return c.refuse("einsum of other than two tensors");
    }
    const std::string left = equation.substr(0, comma), right = equation.substr(comma + 1, arrow - comma - 1),
                      made = equation.substr(arrow + 2);
    const std::string summed = without(left, made), own = without(left, right), other = without(right, left);
    const std::string batch = without(without(left, own), summed);
    const bool plain = summed.size() == 1 && own.size() == 1 && other.size() == 1 &&
                       left == batch + own + summed && made == batch + own + other;
    if (!plain || (right != batch + summed + other && right != batch + other + summed)) {
        return c.refuse("einsum " + equation);
    }
    product(c, of[0], of[1], right == batch + other + summed);
}

namespace {

/// The mask of an attention as a tensor with as many axes as its queries.
int readMask(Converter& c, const Shape& queries, const Shape& keys) {
    const Ref mask = c.tensor("attn_mask");
    const Activation* const held = c.values.activation(mask);
    const auto& meta = c.graph.values[mask].meta;
    if (!held || !meta || meta->dtype != c.graph.values[c.tensor("query")].meta->dtype) {
        c.refuse(c.call.name + " with a mask that is not computed from parameters or samples");
        return kInput;
    }
    Shape products = queries, shape = held->shape;
    products.back() = keys[keys.size() - 2];
    shape.insert(shape.begin(), products.size() - std::min(products.size(), shape.size()), 1);
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (i >= products.size() || (shape[i] != 1 && shape[i] != products[i])) {
            c.refuse(c.call.name + " with a mask of other sizes");
            return kInput;
        }
    }
    return c.read(reshaped(*held, c.values.cell(*held).shape, shape));
}

}  // namespace

void attention(Converter& c) {
    if (c.boolean("enable_gqa")) {
        return c.refuse(c.call.name + " with enable_gqa");
    }
    const Ref query = c.tensor("query"), key = c.tensor("key"), value = c.tensor("value");
    const Activation *queries = c.values.activation(query), *keys = c.values.activation(key);
    if (!areFactors(c, queries, keys) || !areFactors(c, keys, c.values.activation(value))) {
        return;
    }
    base::Json layer{{"type", "scaled_dot_product_attention"}};
    c.put(layer, "is_causal", c.boolean("is_causal"), false);
    c.put(layer, "dropout_p", plainNumber(c.number("dropout_p")), plainNumber(0));
    if (c.has("scale")) {
        const double scale = c.number("scale");
        if (!(scale > 0)) {
            return c.refuse(c.call.name + " with such a scale");
        }
        c.put(layer, "scale", plainNumber(scale), plainNumber(0));
    }
    const bool learned = c.trained(query) || c.trained(key) || c.trained(value);
    std::vector<int> inputs = {c.read(query), c.read(key), c.read(value)};
    if (c.isTensor("attn_mask")) {
        inputs.push_back(readMask(c, queries->shape, keys->shape));
    }
    c.add(layer, std::move(inputs), learned);
}

namespace {

/// A product or a sum with a parameter.
bool withParameter(Converter& c, const std::string& kind, Ref source, const Constant& constant, Ref ref) {
    if (constant.parameter.empty() || (kind != "mul" && kind != "add")) {
        return false;
    }
    const Shape shape = c.shape(ref).empty() ? Shape{1} : c.shape(ref);
    if (c.shape() != c.shape(source)) {
        c.refuse(kind + " with a parameter that repeats the input");
        return true;
    }
    const base::Json layer{{"type", kind == "mul" ? "layer_scale" : "position_embedding"},
                           {"shape", Whole(shape.begin(), shape.end())}};
    const int value = c.read(source);
    Extra extra{.parameters = {{"weight", constant.parameter}}};
    if (c.endsInPlace() && c.tensor("self") == source) {
        extra.remark = c.outOfPlace();
        c.overwrite(source, layer, {value}, std::move(extra));
    } else {
        c.add(layer, {value}, true, std::move(extra));
    }
    return true;
}

/// A product with random 0s and 1s, one for each sample or one for all.
bool withDrawn(Converter& c, const std::string& kind, Ref source, const Constant& constant, Ref ref) {
    const Shape shape = c.shape(ref), whole = c.shape(source);
    if (!constant.drawn || !constant.drawn->whole || kind != "mul" || shape.size() != whole.size() ||
        shape.empty() ||
        std::any_of(shape.begin() + 1, shape.end(), [](std::int64_t size) { return size != 1; })) {
        return false;
    }
    constexpr double kDigits = 1e12;  // 1 - 0.9 is not 0.1
    base::Json layer{{"type", "stochastic_depth"}};
    c.put(layer, "p", plainNumber(std::round((1 - constant.drawn->keep) * kDigits) / kDigits), 0.5);
    c.put(layer, "mode", shape[0] == whole[0] ? "row" : "batch", "row");
    c.put(layer, "scale_by_keep", constant.drawn->scaled, true);
    const int value = c.read(source);
    if (c.endsInPlace() && c.tensor("self") == source) {
        c.overwrite(source, layer, {value}, {.remark = c.outOfPlace()});
    } else {
        c.add(layer, {value}, c.trained(source));
    }
    return true;
}

/// A product or a sum with numbers that are not a parameter, such as a buffer: its memory is that of one
/// number.
bool withNumbers(Converter& c, const std::string& kind, Ref source, const Constant& constant, Ref ref) {
    if (constant.what != kNumbers || c.shape() != c.shape(source) ||
        ((kind == "sub" || kind == "div") && c.tensor("self") != source)) {
        return false;
    }
    const std::int64_t count = elements(c.shape(ref));
    const base::Json layer = kind == "mul" || kind == "div" ? base::Json{{"type", "scale"}, {"value", 1}}
                                                            : base::Json{{"type", "offset"}, {"value", 0}};
    const std::string remark = fmt::format("the values of the constant, {} numbers", count);
    const int value = c.read(source);
    if (c.endsInPlace() && c.tensor("self") == source) {
        c.overwrite(source, layer, {value}, {.remark = remark});
    } else {
        c.add(layer, {value}, c.trained(source), {.remark = remark});
    }
    return true;
}

}  // namespace

bool withConstant(Converter& c, const std::string& kind) {
    const Ref first = c.tensor("self"), second = c.tensor("other");
    const bool swapped = !c.values.activation(first);
    const Ref source = swapped ? second : first, ref = swapped ? first : second;
    const auto* const constant = std::get_if<Constant>(&c.values.held(ref));
    if (c.failed() || !constant || !c.values.activation(source)) {
        return false;
    }
    const Constant its = *constant;
    return withParameter(c, kind, source, its, ref) || withDrawn(c, kind, source, its, ref) ||
           withNumbers(c, kind, source, its, ref);
}

}  // namespace highwater::stack::pytorch
