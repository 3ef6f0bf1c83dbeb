#include "core/layers/layers.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/text.h"

namespace highwater::stack {

namespace {

template <class T>
void addKinds(std::vector<Op>& all) {
    for (std::size_t kind = 0; kind < About<T>::names.size(); ++kind) {
        all.emplace_back(ofKind<T>(kind));
    }
}

/// One default layer of each name, in the order of `Op`.
const std::vector<Op>& defaults() {
    static const std::vector<Op> all = []<std::size_t... Index>(std::index_sequence<Index...>) {
        std::vector<Op> made;
        (addKinds<std::variant_alternative_t<Index, Op>>(made), ...);
        return made;
    }(std::make_index_sequence<std::variant_size_v<Op>>());
    return all;
}

}  // namespace

std::string_view typeName(const Op& op) {
    return std::visit(
        []<class T>(const T& value) {
            if constexpr (About<T>::names.size() > 1) {
                return About<T>::names[static_cast<std::size_t>(value.kind)];
            } else {
                return About<T>::names[0];
            }
        },
        op);
}

const std::vector<std::string_view>& typeNames() {
    static const std::vector<std::string_view> names = [] {
        std::vector<std::string_view> all;
        for (const Op& op : defaults()) {
            all.push_back(typeName(op));
        }
        return all;
    }();
    return names;
}

std::optional<Op> makeOp(std::string_view type) {
    const auto& names = typeNames();
    const auto at = std::find(names.begin(), names.end(), type);
    if (at == names.end()) {
        return std::nullopt;
    }
    return defaults()[static_cast<std::size_t>(at - names.begin())];
}

std::vector<std::string_view> typesOf(Group group) {
    std::vector<std::string_view> types;
    for (const Op& op : defaults()) {
        if (ask(op, [](auto about, const auto&) { return about.group; }) == group) {
            types.push_back(typeName(op));
        }
    }
    return types;
}

bool learns(const Op& op) {
    return ask(op, [](auto about, const auto& value) { return about.learns(value); });
}

bool worksInPlace(const Op& op) {
    return ask(op, [](auto about, const auto& value) { return about.worksInPlace(value); });
}

bool readsNothing(const Op& op) {
    return ask(op, [](auto about, const auto&) { return about.readsNothing; });
}

bool savesResult(const Op& op) {
    return ask(op, [](auto about, const auto& value) { return about.savesResult(value); });
}

bool isPart(const Op& op) {
    return ask(op, [](auto about, const auto& value) { return about.lies(value, true); }) == Lies::InInput;
}

bool passesThrough(const Op& op, bool train) {
    return ask(op, [&](auto about, const auto& value) { return about.lies(value, train); }) != Lies::Apart;
}

bool drawsRandomly(const Op& op) {
    return ask(op, [](auto about, const auto& value) { return about.drawsRandomly(value); });
}

bool resumable(const Op& op) {
    return ask(op, [](auto about, const auto& value) { return about.resumable(value); });
}

bool mixesAxes(const Op& op) {
    return ask(op, [](auto about, const auto& value) { return about.mixesAxes(value); });
}

void suit(Op& op, const Shape& input) {
    std::visit([&]<class T>(T& value) { About<T>::suit(value, input); }, op);
}

base::Result<LayerRule> layerRule(const Op& op, const Shape& input, bool train) {
    const Axes axes = ask(op, [](auto about, const auto& value) { return about.axes(value); });
    if (input.size() < axes.fewest) {
        return base::Error{
            fmt::format("needs spatial axes, which its input of {} no longer has; put it before the flatten",
                        base::formatShape(input))};
    }
    if (input.size() > axes.most) {
        return base::Error{fmt::format("takes at most {} axes, its input {} has {}", axes.most,
                                       base::formatShape(input), input.size())};
    }
    return ask(op, [&](auto about, const auto& value) -> base::Result<LayerRule> {
        if constexpr (requires { about.rule(value, input, train); }) {
            return about.rule(value, input, train);
        } else {
            return base::Error{"needs more than its input"};
        }
    });
}

std::int64_t outputSize(std::int64_t size, const Op& op, int dims, std::size_t axis) {
    return ask(op, [&](auto about, const auto& value) { return about.sizeAlong(value, size, dims, axis); });
}

AxisScale scaleAlong(const Op& op, std::size_t axis) {
    return ask(op, [&](auto about, const auto& value) { return about.scaleAlong(value, axis); });
}

std::vector<std::string> wordsOf(const Op& op, Words words) {
    ask(op, [&](auto about, const auto& value) { about.words(value, words); });
    return std::move(words.all);
}

void About<Block>::words(const Block& op, Words& w) {
    if (w.brief) {
        w.addIf(!op.name.empty(), op.name);
        w.addIf(op.checkpoint, w.byBlock ? "checkpoint" : "checkpoint off");
        return;
    }
    w.addIf(op.checkpoint && w.byBlock, "checkpointed");
    w.add(base::counted(std::ssize(op.layers), "layer"));
}

}  // namespace highwater::stack
