#include "core/stack/pytorch/values.h"

#include <fmt/format.h>

namespace highwater::stack::pytorch {

namespace {

base::Result<base::Json> viewLayer(const Activation& held, const Shape& whole) {
    if (held.crop) {
        const Crop& crop = *held.crop;
        base::Json start = base::Json::array(), size = base::Json::array();
        for (std::size_t axis = 0; axis < crop.size(); ++axis) {
            if (axis >= held.shape.size() || held.shape.size() != crop.size() ||
                held.shape[axis] != crop[axis].second) {
                return base::Error{"a view of a slice"};
            }
        }
        for (std::size_t axis = 0; axis < crop.size(); ++axis) {
            if (axis >= 2) {
                start.push_back(crop[axis].first);
                size.push_back(crop[axis].second);
            } else if (crop[axis] != std::pair(std::int64_t{0}, whole[axis])) {
                return base::Error{"a slice of channels or of the batch"};
            }
        }
        return base::Json{{"type", "crop"}, {"start", start}, {"size", size}};
    }
    const bool flat = held.shape.size() == 2 && !whole.empty() && held.shape[0] == whole[0] &&
                      held.shape[1] == elements(Shape(whole.begin() + 1, whole.end()));
    return flat ? base::Result<base::Json>(base::Json{{"type", "flatten"}})
                : base::Error{"a view other than flatten"};
}

}  // namespace

Values::Values(const Graph& graph) : held_(graph.values.size(), Constant{"a constant", ""}) {
    held_[graph.input] = hold({kInput, graph.shape(graph.input), false, false});
    for (const Parameter& parameter : graph.parameters) {
        held_[parameter.value] = Constant{"a parameter", parameter.name};
    }
}

Activation Values::hold(Cell cell) {
    cells_.push_back(std::move(cell));
    return {cells_.size() - 1, cells_.back().shape, std::nullopt};
}

base::Result<int> Values::read(const Activation& held, const Call& reader) {
    const Cell& whole = cell(held);
    if (whole.lost) {
        return base::Error{fmt::format("{} of a tensor that was overwritten through a view", reader.name)};
    }
    if (this->whole(held)) {
        return whole.value;
    }
    const View view{whole.value, held.cell, held.shape, held.crop};
    if (const auto known = views_.find(view); known != views_.end()) {
        return known->second;
    }
    auto layer = viewLayer(held, whole.shape);
    if (!layer) {
        return layer.error();
    }
    // It is the reader's, not the reader's module.
    const int made = append(*std::move(layer), {whole.value}, around(reader.scopes), {}).output;
    views_.emplace(view, made);
    return made;
}

Step& Values::append(base::Json layer, std::vector<int> inputs, const Scopes& scopes, Extra extra) {
    steps.push_back({std::move(layer), std::move(inputs), count_++, scopes, std::move(extra.parameters),
                     extra.commutes, std::move(extra.remark), std::move(extra.unknown)});
    return steps.back();
}

}  // namespace highwater::stack::pytorch
