#include "core/stack/pytorch/values.h"

#include <fmt/format.h>

namespace highwater::stack::pytorch {

Values::Values(const Graph& graph, base::MemoryBudget& budget)
    : budget_(&budget), held_(graph.values.size(), Constant{std::string(kNumbers), ""}) {
    budget.take(held_.size(), sizeof(Held));
    for (const Parameter& parameter : graph.parameters) {
        held_[parameter.value] = Constant{std::string(kParameter), parameter.name};
    }
}

void Values::set(Ref ref, Held held) {
    if (const auto* const made = std::get_if<Activation>(&held)) {
        budget_->take(made->shape.size(), sizeof(made->shape[0]));
        budget_->take(made->views.size(), sizeof(made->views[0]));
        budget_->take(made->views.empty() ? 0 : base::memoryOf(made->views.back()->layer));
    }
    held_[ref] = std::move(held);
}

Activation Values::hold(Cell cell) {
    budget_->take(sizeof(cell) + cell.shape.size() * sizeof(cell.shape[0]));
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
    for (const auto& view : held.views) {
        if (view->layer.contains("refusal")) {
            return base::Error{view->layer["refusal"].get<std::string>()};
        }
        const std::string words = view->layer.dump() + (view->made ? std::to_string(*view->made) : "");
        const auto [known, isNew] = views_.emplace(View{value, held.cell, words}, 0);
        if (isNew) {  // it belongs to the reader, not to the reader's module
            known->second = append(view->layer, {value}, around(reader.scopes), {}).output;
        }
        value = known->second;
    }
    return value;
}

Step& Values::append(base::Json layer, std::vector<int> inputs, const Scopes& scopes, Extra extra) {
    constexpr std::size_t kCopies = 2;  // a step becomes an entry of the stack
    budget_->take(kCopies * (sizeof(Step) + base::memoryOf(layer) + memoryOf(scopes)) +
                  inputs.size() * sizeof(inputs[0]) + extra.remark.size() + extra.unknown.size());
    steps.push_back({std::move(layer), std::move(inputs), count_++, scopes, std::move(extra.parameters),
                     extra.commutes, std::move(extra.remark), std::move(extra.unknown)});
    return steps.back();
}

}  // namespace highwater::stack::pytorch
