#include <fmt/format.h>

#include <algorithm>

#include "core/layers/activation.h"
#include "core/stack/pytorch/operators.h"

namespace highwater::stack::pytorch {

namespace {

void norm(Converter& c, base::Json layer, bool affineUsually) {
    c.put(layer, "eps", plainNumber(c.number("eps")), 1e-5);
    Roles named = c.parameters({"weight", "bias"});
    if (named.size() == 1) {
        return c.refuse(fmt::format("{} with only a {}", c.call.name, named.begin()->first));
    }
    c.put(layer, "affine", !named.empty(), affineUsually);
    c.plain(std::move(layer), {.parameters = std::move(named)});
}

}  // namespace

void batchNorm(Converter& c) {
    if (!c.boolean("training")) {
        return c.refuse("batch_norm that is not training");
    }
    norm(c, {{"type", "batch_norm"}}, true);
}

void instanceNorm(Converter& c) {
    norm(c, {{"type", "instance_norm"}}, false);
}

void groupNorm(Converter& c) {
    norm(c, {{"type", "group_norm"}, {"num_groups", c.integer("num_groups")}}, true);
}

void layerNorm(Converter& c) {
    norm(c, {{"type", "layer_norm"}, {"normalized_shape", c.integers("normalized_shape")}}, true);
}

void activation(Converter& c) {
    const std::string name = c.kind();
    const double low = c.number("min_val"), high = c.number("max_val");
    const std::string kind = name == "hardtanh" && low == 0 && high == 6 ? "relu6" : name;
    base::Json layer{{"type", kind}};
    std::string remark;
    if (kind == "hardtanh") {
        c.put(layer, "min_val", plainNumber(low), -1);
        c.put(layer, "max_val", plainNumber(high), 1);
    }
    if (kind == "softplus" && (c.number("beta") != 1 || c.number("threshold") != 20)) {
        remark = "softplus' beta and threshold, which change no memory";
    }
    if (kind == "leaky_relu") {
        c.put(layer, "negative_slope", plainNumber(c.number("negative_slope")), 0.01);
    }
    if (kind == "elu" && (c.number("alpha") != 1 || c.number("scale") != 1 || c.number("input_scale") != 1)) {
        remark = "elu's alpha, which changes no memory";
    }
    if (kind == "gelu" && c.text("approximate") != "none") {
        remark = "gelu's approximation, which changes no memory";
    }
    const auto op = makeOp(kind);
    const auto* known = op ? std::get_if<stack::Activation>(&*op) : nullptr;
    c.write(layer, c.endsInPlace(), known && factsOf(known->kind).hasInplaceForm, remark);
}

/// A lower bound alone.
void clamp(Converter& c) {
    if (c.has("max") || !c.has("min") || c.isTensor("min") || c.endsInPlace()) {
        return c.refuse(c.call.name + " with an upper bound or in place");
    }
    c.plain({{"type", "clamp_min"}, {"min", plainNumber(c.number("min"))}});
}

/// torch.addcmul(bias, weight, x), with learned factors and terms of one shape.
void addcmul(Converter& c) {
    const Ref x = c.tensor("tensor2"), weight = c.tensor("tensor1"), bias = c.tensor("self");
    const Shape shape = c.shape(weight);
    if (c.has("value") || !c.values.activation(x) || c.shape(bias) != shape || c.shape() != c.shape(x)) {
        return c.refuse(c.call.name);
    }
    Roles named = c.parameters({"tensor1", "self"});
    if (c.failed()) {
        return;
    }
    const int value = c.read(x);
    c.add({{"type", "affine"}, {"shape", Whole(shape.begin(), shape.end())}}, {value}, true,
          {.parameters = {{"weight", named["tensor1"]}, {"bias", named["self"]}}});
}

void prelu(Converter& c) {
    const Shape weight = c.shape(c.tensor("weight"));
    base::Json layer{{"type", "prelu"}};
    c.put(layer, "num_parameters", weight.empty() ? 1 : weight[0], 1);
    c.plain(layer, {.parameters = c.parameters({"weight"})});
}

void softmax(Converter& c) {
    const std::size_t dim = c.axis("dim", c.shape().size());
    c.plain({{"type", "softmax"}, {"dim", dim}});
}

void dropout(Converter& c) {
    const Ref source = c.tensor(c.has("input") ? "input" : "self");
    if (!c.boolean("train")) {
        return c.same(source);
    }
    base::Json layer{{"type", "dropout"}};
    c.put(layer, "p", plainNumber(c.number("p")), 0.5);
    c.put(layer, "feature", c.call.name.starts_with("feature"), false);
    if (!c.endsInPlace()) {
        return c.plain(layer);
    }
    const int value = c.read(source);
    c.overwrite(source, layer, {value}, {.remark = c.outOfPlace()});
}

}  // namespace highwater::stack::pytorch
