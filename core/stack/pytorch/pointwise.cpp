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
    if (name == "hardtanh" && (c.number("min_val") != 0 || c.number("max_val") != 6)) {
        return c.refuse("hardtanh other than relu6");
    }
    const std::string kind = name == "hardtanh" ? "relu6" : name;
    base::Json layer{{"type", kind}};
    std::string remark;
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
