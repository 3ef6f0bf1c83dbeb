#include "core/stack/pytorch/values.h"

#include <fmt/format.h>

namespace highwater::stack::pytorch {

Values::Values(const Graph& graph) : held_(graph.values.size(), Constant{"a constant", ""}) {
    for (const Parameter& parameter : graph.parameters) {
        held_[parameter.value] = Constant{"a parameter", parameter.name};
    }
}

Activation Values::hold(Cell cell) {
    cells_.push_back(std::move(cell));
    return {cells_.size() - 1, cells_.back().shape};
}

base::Result<int> Values::read(const Activation& held, const Call& reader) {
    const Cell& whole = cell(held);
    if (whole.lost) {
        return base::Error{fmt::format("{} of a tensor that was overwritten through a view", reader.name)};
    }
    if (this->whole(held)) {
        return whole.value;
    }
    int value = whole.value;
    std::string path;
    for (const ViewStep& view : held.views) {
        if (view.layer.contains("refusal")) {
            return base::Error{view.layer["refusal"].get<std::string>()};
        }
        path += view.layer.dump() + (view.made ? std::to_string(*view.made) : "");
        const auto [known, isNew] = views_.emplace(View{whole.value, held.cell, path}, 0);
        if (isNew) {  // it is the reader's, not the reader's module
            known->second = append(view.layer, {value}, around(reader.scopes), {}).output;
        }
        value = known->second;
    }
    return value;
}

Step& Values::append(base::Json layer, std::vector<int> inputs, const Scopes& scopes, Extra extra) {
    steps.push_back({std::move(layer), std::move(inputs), count_++, scopes, std::move(extra.parameters),
                     extra.commutes, std::move(extra.remark), std::move(extra.unknown)});
    return steps.back();
}

}  // namespace highwater::stack::pytorch
