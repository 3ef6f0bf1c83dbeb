#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/layers/limits.h"
#include "core/stack/pytorch/operators.h"
#include "core/stack/pytorch/view_steps.h"

namespace highwater::stack::pytorch {

namespace {

/// The operand of a view; null, with a refusal, for a constant.
const Activation* viewed(Converter& c) {
    const Activation* held = c.values.activation(c.tensor("self"));
    if (!held) {
        c.refuse(c.call.name + " of a constant");
    }
    return c.failed() ? nullptr : held;
}

const Shape& wholeOf(Converter& c, const Activation& held) {
    return c.values.cell(held).shape;
}

bool liesInOrder(Converter& c, Ref ref) {
    const auto& meta = c.graph.values[ref].meta;
    return meta && isContiguous(*meta);
}

}  // namespace

void viewOf(Converter& c) {
    const Activation* held = viewed(c);
    if (!held) {
        return;
    }
    const Ref source = c.tensor("self");
    if (c.shape() == held->shape) {
        return c.same(source);
    }
    if (c.call.name.starts_with("expand")) {
        return c.view(expanded(*held, c.shape()));
    }
    const Activation made = reshaped(*held, wholeOf(c, *held), c.shape());
    const bool mayCopy = c.call.name.starts_with("reshape") || c.call.name == "flatten";
    if (!mayCopy || liesInOrder(c, source)) {
        return c.view(made);
    }
    const int value = c.read(source);  // a copy is not a view
    const base::Json layer = made.views.empty() ? base::Json() : made.views.back()->layer;
    if (layer.empty() || layer.contains("refusal")) {
        return c.refuse("a view of a view");
    }
    c.add(layer, {value}, c.trained(source));
}

void permute(Converter& c) {
    const Activation* held = viewed(c);
    if (!held) {
        return;
    }
    const auto axes = static_cast<std::int64_t>(held->shape.size());
    Whole dims(held->shape.size());
    std::iota(dims.begin(), dims.end(), 0);
    if (c.call.name == "transpose") {
        std::swap(dims[c.axis("dim0", dims.size())], dims[c.axis("dim1", dims.size())]);
    } else {
        dims = c.integers("dims");
        for (std::int64_t& dim : dims) {
            dim += dim < 0 ? axes : 0;
        }
    }
    Whole sorted = dims;
    std::sort(sorted.begin(), sorted.end());
    for (std::int64_t i = 0; i < axes; ++i) {
        if (std::ssize(sorted) != axes || sorted[static_cast<std::size_t>(i)] != i) {
            return c.refuse(c.call.name);
        }
    }
    if (axes == 0) {
        return c.refuse(c.call.name + " of a number");
    }
    c.view(permuted(*held, wholeOf(c, *held), dims));
}

/// unbind returns all indices of an axis.
void select(Converter& c) {
    const Activation* const found = viewed(c);
    if (!found || found->shape.empty()) {
        return c.refuse(c.call.name + " of a number");
    }
    const Activation held = *found;
    const std::size_t dim = c.axis("dim", held.shape.size());
    const bool all = c.call.name == "unbind";
    const std::int64_t places = held.shape[dim], given = all ? 0 : c.integer("index");
    const std::int64_t first = given < 0 ? given + places : given;
    if (first < 0 || first >= places) {
        return c.refuse(c.call.name + " of a place that is not there");
    }
    for (std::size_t i = 0; i < (all ? c.call.outputs.size() : 1); ++i) {
        c.view(selected(held, wholeOf(c, held), dim, first + static_cast<std::int64_t>(i)), i);
    }
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
        const int value = c.read(source);
        return c.add({{"type", "contiguous"}}, {value}, c.trained(source));
    }
    c.same(source);
}

void clone(Converter& c) {
    c.copyOf(c.tensor("self"));
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
    const std::int64_t step = c.integer("step");
    const Activation* held = c.values.activation(source);
    if (after == before) {
        return c.same(source);
    }
    const std::int64_t given = c.has("start") ? c.integer("start") : 0;
    if (!held || c.failed() || after.size() != before.size() || step < 1 || step > kMostSize) {
        return c.refuse("a slice of another shape");
    }
    const std::int64_t start = given < 0 ? std::max<std::int64_t>(0, given + before[axis]) : given;
    if (after[axis] < 1 || start + (after[axis] - 1) * step >= before[axis]) {
        return c.refuse("a slice of another shape");
    }
    c.view(cut(*held, {static_cast<std::int64_t>(axis), start, after[axis], step}));
}

/// Consecutive parts of an axis, each as large as its output.
void split(Converter& c) {
    const Activation* const found = viewed(c);
    if (!found || found->shape.empty()) {
        return c.refuse(c.call.name + " of a number");
    }
    const Activation held = *found;
    const std::size_t axis = c.axis("dim", held.shape.size());
    std::int64_t start = 0;
    for (std::size_t i = 0; i < c.call.outputs.size() && !c.failed(); ++i) {
        const Shape& part = c.shape(c.call.outputs[i]);
        if (part.size() != held.shape.size() || part[axis] < 1 || part[axis] > held.shape[axis] - start) {
            return c.refuse(c.call.name + " into other parts");
        }
        c.view(part == held.shape ? held : cut(held, {static_cast<std::int64_t>(axis), start, part[axis], 1}),
               i);
        start += part[axis];
    }
}

void roll(Converter& c) {
    const Ref source = c.tensor("self");
    const auto axes = static_cast<std::int64_t>(c.shape(source).size());
    const Whole shifts = c.integers("shifts");
    Whole dims = c.integers("dims");
    for (std::int64_t& dim : dims) {
        dim += dim < 0 ? axes : 0;
        if (dim < 1 || dim >= axes) {
            return c.refuse("roll of the batch");
        }
    }
    if (dims.empty() || dims.size() != shifts.size()) {
        return c.refuse("roll of a flattened tensor");
    }
    c.plain({{"type", "roll"}, {"shifts", shifts}, {"dims", dims}});
}

}  // namespace highwater::stack::pytorch
