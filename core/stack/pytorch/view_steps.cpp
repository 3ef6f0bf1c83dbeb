#include "core/stack/pytorch/view_steps.h"

#include <algorithm>
#include <numeric>

namespace highwater::stack::pytorch {

namespace {

using Axes = std::vector<std::int64_t>;

const Shape& shapeBefore(const Activation& held, const Shape& whole, std::size_t views) {
    return views == 0 ? whole : held.views[views - 1]->shape;
}

void push(Activation& held, base::Json layer, Shape shape) {
    held.shape = shape;
    held.views.push_back(std::make_shared<const ViewStep>(ViewStep{std::move(layer), std::move(shape)}));
}

bool isReshape(const ViewStep& step) {
    return step.layer["type"] == "reshape" || step.layer["type"] == "flatten";
}

/// A permute that moves the batch is not a layer, unless a later one moves it back.
base::Json permuteLayer(const Axes& dims) {
    base::Json layer{{"type", "permute"}, {"dims", dims}};
    if (dims.front() != 0) {
        layer["refusal"] = "permute of the batch";
    }
    return layer;
}

/// Removes the last view if it is a permute, and returns its axes.
Axes takePermute(Activation& held, const Shape& whole) {
    Axes dims(held.shape.size());
    std::iota(dims.begin(), dims.end(), 0);
    if (!held.views.empty() && held.views.back()->layer["type"] == "permute") {
        dims = held.views.back()->layer["dims"].get<Axes>();
        held.views.pop_back();
        held.shape = shapeBefore(held, whole, held.views.size());
    }
    return dims;
}

void permute(Activation& held, const Axes& dims) {
    if (std::is_sorted(dims.begin(), dims.end())) {
        return;
    }
    Shape shape;
    for (const std::int64_t from : dims) {
        shape.push_back(held.shape[static_cast<std::size_t>(from)]);
    }
    push(held, permuteLayer(dims), std::move(shape));
}

}  // namespace

Activation reshaped(Activation held, const Shape& whole, Shape shape) {
    if (!held.views.empty() && isReshape(*held.views.back())) {
        held.views.pop_back();
    }
    const Shape& before = shapeBefore(held, whole, held.views.size());
    held.shape = shape;
    if (shape == before) {
        return held;
    }
    const bool flat = shape.size() == 2 && !before.empty() && before[0] == shape[0];
    base::Json layer{{"type", flat ? "flatten" : "reshape"}};
    if (!flat) {
        Axes sizes(shape.begin(), shape.end());
        std::fill_n(sizes.begin(), sizes.empty() ? 0 : 1, -1);
        layer["shape"] = sizes;
    }
    if (shape.size() < 2) {
        layer["refusal"] = "a view with fewer than two axes";
    }
    push(held, std::move(layer), std::move(shape));
    return held;
}

Activation permuted(Activation held, const Shape& whole, const Axes& dims) {
    const Axes before = takePermute(held, whole);
    Axes both;
    for (const std::int64_t from : dims) {
        both.push_back(before[static_cast<std::size_t>(from)]);
    }
    permute(held, both);
    return held;
}

Activation selected(Activation held, const Shape& whole, std::size_t dim, std::int64_t index) {
    Axes dims = takePermute(held, whole);
    const std::int64_t axis = dims[dim];
    dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(dim));
    for (std::int64_t& each : dims) {
        each -= each > axis ? 1 : 0;
    }
    base::Json layer{{"type", "select"}, {"dim", axis}, {"index", index}};
    if (axis == 0) {
        layer["refusal"] = "select of a sample";
    }
    Shape shape = held.shape;
    shape.erase(shape.begin() + axis);
    push(held, std::move(layer), std::move(shape));
    permute(held, dims);
    return held;
}

Activation expanded(Activation held, Shape shape) {
    Axes sizes(shape.begin(), shape.end());
    base::Json layer{{"type", "expand"}};
    if (shape.size() != held.shape.size() || shape.empty() || shape.front() != held.shape.front()) {
        layer["refusal"] = "expand to other samples or axes";
    } else {
        sizes.front() = -1;
    }
    layer["shape"] = sizes;
    push(held, std::move(layer), std::move(shape));
    return held;
}

Activation cut(Activation held, const Cut& part) {
    const auto axis = static_cast<std::size_t>(part.axis);
    Shape shape = held.shape;
    shape[axis] = part.size;
    const bool cut = !held.views.empty() && held.views.back()->layer["type"] == "slice";
    if (cut || part.axis < 2 || part.step != 1 || shape.size() < 3 || shape.size() > 5) {
        base::Json layer{{"type", "slice"}, {"dim", part.axis}};
        if (part.start != 0) {
            layer["start"] = part.start;
        }
        layer["end"] = part.start + (part.size - 1) * part.step + 1;
        if (part.step != 1) {
            layer["step"] = part.step;
        }
        if (part.axis == 0) {
            layer["refusal"] = "a slice of the batch";
        }
        push(held, std::move(layer), std::move(shape));
        return held;
    }
    Axes starts(held.shape.size() - 2, 0), sizes = starts;
    base::Json layer{{"type", "crop"}};
    if (!held.views.empty() && held.views.back()->layer["type"] == "crop") {
        layer = held.views.back()->layer;
        starts = layer["start"].get<Axes>();
        held.views.pop_back();
    }
    std::copy(shape.begin() + 2, shape.end(), sizes.begin());
    starts[axis - 2] += part.start;
    layer["start"] = starts;
    layer["size"] = sizes;
    push(held, std::move(layer), std::move(shape));
    return held;
}

}  // namespace highwater::stack::pytorch
