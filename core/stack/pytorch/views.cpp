#include <fmt/format.h>

#include <algorithm>

#include "core/stack/pytorch/operators.h"

namespace highwater::stack::pytorch {

void viewOf(Converter& c) {
    const Ref source = c.tensor("self");
    const Activation* held = c.values.activation(source);
    if (!held) {
        return c.refuse(c.call.name + " of a constant");
    }
    if (c.shape() == held->shape) {
        return c.same(source);
    }
    if (c.call.name == "expand") {
        return c.refuse("expand");
    }
    const auto& meta = c.graph.values[source].meta;
    if (held->crop && (!meta || !isContiguous(*meta))) {
        return c.refuse(c.call.name + " of a slice");
    }
    c.view(source, c.shape());
}

void sameAs(Converter& c) {
    const Ref source = c.tensor("self");
    const auto& before = c.graph.values[source].meta;
    const auto& after = c.graph.values[c.call.outputs.front()].meta;
    if (!before || !after || before->dtype != after->dtype) {
        return c.refuse(c.call.name + " of another type of numbers");
    }
    const bool copies = c.call.name == "contiguous" || c.call.name == "_to_copy";
    if (copies && !isContiguous(*before)) {
        return c.copyOf(source, c.call.name);
    }
    c.same(source);
}

void clone(Converter& c) {
    c.copyOf(c.tensor("self"), "clone");
}

void detach(Converter& c) {
    const Ref source = c.tensor("self");
    if (c.trained(source)) {
        return c.refuse("detach");
    }
    c.same(source);
}

void slice(Converter& c) {
    const Ref source = c.tensor("self");
    const Shape before = c.shape(source), after = c.shape();
    const std::size_t axis = c.axis("dim", before.size());
    const Activation* held = c.values.activation(source);
    if (c.integer("step") != 1) {
        return c.refuse("a slice with a step");
    }
    if (!held || (!held->crop && !c.values.whole(*held))) {
        return c.refuse("a slice of a view");
    }
    if (after == before) {
        return c.same(source);
    }
    const std::int64_t given = c.has("start") ? c.integer("start") : 0;
    Crop cut = held->crop.value_or(Crop());
    for (std::size_t i = cut.size(); i < before.size(); ++i) {
        cut.emplace_back(0, before[i]);
    }
    if (c.failed() || after.size() != before.size() || cut.size() != before.size()) {
        return c.refuse("a slice of another shape");
    }
    const std::int64_t start = given < 0 ? std::max<std::int64_t>(0, given + before[axis]) : given;
    cut[axis] = {cut[axis].first + start, after[axis]};
    c.view(source, after, cut);
}

}  // namespace highwater::stack::pytorch
