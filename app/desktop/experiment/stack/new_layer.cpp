#include "app/desktop/experiment/stack/new_layer.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "core/stack/shapes.h"

namespace highwater::desktop {

namespace {

using stack::Experiment;
using stack::Merge;

/// The stack up to the insertion point: whether it is valid says nothing about the layers after it.
Experiment upTo(Experiment e, const Path& parent, int row) {
    Layers* list = &e.stack;
    for (const int at : parent) {
        list->resize(static_cast<std::size_t>(at) + 1);
        list = &std::get<stack::Block>(list->back().op).layers;
    }
    list->resize(static_cast<std::size_t>(row));
    e.loss = stack::Loss::Mean;
    e.target = {};
    e.step.train = false;
    e.step.microBatches = 1;
    return e;
}

/// The input of a layer at that position; no axes if it is unknown.
stack::Shape shapeAt(const Experiment& e, const Path& parent, int row) {
    const Experiment before = upTo(e, parent, row);
    if (const auto info = stack::inferShapes(before)) {
        return info->output;
    }
    const auto input = stack::inputShape(e);
    return input && allPaths(before.stack).empty() ? *input : stack::Shape{};
}

std::int64_t outputChannels(const Experiment& e, std::int64_t otherwise) {
    const auto info = stack::inferShapes(e);
    return info ? info->output[1] : otherwise;
}

std::string freeId(const Layers& layers, const std::string& stem) {
    const auto taken = layerIds(layers);
    for (int n = 1;; ++n) {
        if (std::string id = stem + std::to_string(n);
            std::find(taken.begin(), taken.end(), id) == taken.end()) {
            return id;
        }
    }
}

/// The layers before the position that a merge can use, nearest first: those with an id before those without;
/// the immediately preceding layer, whose output the merge gets anyway, is last.
Paths earlier(const Layers& layers, const Path& parent, int row) {
    Path place = parent;
    place.push_back(row);
    Paths named, nameless;
    for (const Path& path : allPaths(layers)) {
        const bool around =
            path.size() <= parent.size() && std::equal(path.begin(), path.end(), parent.begin());
        const stack::Layer* layer = layerAt(layers, path);
        if (!(path < place) || around || std::holds_alternative<stack::Head>(layer->op)) {
            continue;
        }
        (layer->id.empty() ? nameless : named).push_back(path);
    }
    std::reverse(named.begin(), named.end());
    std::reverse(nameless.begin(), nameless.end());
    named.insert(named.end(), nameless.begin(), nameless.end());
    --place.back();
    std::stable_partition(named.begin(), named.end(), [&](const Path& path) { return path != place; });
    return named;
}

/// The id of a layer; assigns one if it has none.
std::string named(Layers& layers, const Path& path, const std::string& stem) {
    stack::Layer& layer = *layerAt(layers, path);
    if (layer.id.empty()) {
        layer.id = freeId(layers, stem);
    }
    return layer.id;
}

stack::Layer merge(Merge::Kind kind, const std::string& with) {
    // Attention: keys and values.
    const std::size_t outputs = with.empty() ? 0 : kind == Merge::Kind::Attention ? 2 : 1;
    return {"", Merge{kind, std::vector<std::string>(outputs, with)}};
}

/// The first valid candidate, or the first one.
const Experiment& firstValid(const std::vector<Experiment>& candidates) {
    const auto valid = std::find_if(candidates.begin(), candidates.end(),
                                    [](const Experiment& e) { return stack::inferShapes(e).ok(); });
    return valid == candidates.end() ? candidates.front() : *valid;
}

Paths insertMerge(Experiment& experiment, Merge::Kind kind, const Path& parent, int row) {
    std::vector<Experiment> candidates;
    const bool branch = kind == Merge::Kind::Branch;
    const auto add = [&](const Path& from, std::optional<Merge::Kind> back) {
        Experiment e = experiment;
        Layers added = {merge(kind, named(e.stack, from, branch ? "path" : "skip"))};
        Path last = parent;
        last.push_back(row - 1);
        if (back) {  // the branch is merged with the output of the layer before it
            added.push_back(merge(*back, named(e.stack, last, "path")));
        }
        insertLayers(e.stack, parent, row, std::move(added));
        candidates.push_back(std::move(e));
    };
    for (const Path& from : earlier(experiment.stack, parent, row)) {
        add(from, {});
        if (branch && row > 0) {
            add(from, Merge::Kind::Add);
            add(from, Merge::Kind::Concat);
        }
    }
    if (candidates.empty()) {
        candidates.push_back(experiment);
        insertLayers(candidates.back().stack, parent, row, {merge(kind, {})});
    }
    experiment = firstValid(candidates);
    Path at = parent;
    at.push_back(row);
    return {at};
}

/// The nearest earlier layer that can be reused here such that the layers after it stay valid.
Paths insertShared(Experiment& experiment, const Path& parent, int row) {
    std::vector<Experiment> candidates;
    for (const Path& from : earlier(experiment.stack, parent, row)) {
        if (stack::learns(layerAt(experiment.stack, from)->op)) {
            Experiment e = experiment;
            insertLayers(e.stack, parent, row, {{"", stack::Shared{named(e.stack, from, "layer")}}});
            candidates.push_back(std::move(e));
        }
    }
    if (candidates.empty()) {
        candidates.push_back(experiment);
        insertLayers(candidates.back().stack, parent, row, {{"", stack::Shared{}}});
    }
    experiment = firstValid(candidates);
    Path at = parent;
    at.push_back(row);
    return {at};
}

}  // namespace

Paths insertNewLayer(Experiment& experiment, std::string_view type, const Path& parent, int row) {
    auto op = stack::makeOp(type);
    const Layers* list = listAt(experiment.stack, parent);
    if (!op || !list || row < 0 || row > static_cast<int>(list->size())) {
        return {};
    }
    if (const auto* wanted = std::get_if<Merge>(&*op)) {
        return insertMerge(experiment, wanted->kind, parent, row);
    }
    if (std::holds_alternative<stack::Shared>(*op)) {
        return insertShared(experiment, parent, row);
    }
    stack::Shape input = shapeAt(experiment, parent, row);
    Layers added;
    if (const auto* learned = std::get_if<stack::Learned>(&*op);
        learned && learned->kind == stack::Learned::Kind::ClassToken && input.size() > 3) {
        // Its input has samples, positions and features: the channels are the positions.
        const std::int64_t features =
            std::accumulate(input.begin() + 2, input.end(), std::int64_t{1}, std::multiplies<>());
        input = {input[0], input[1], features};
        added.push_back({"", stack::Reshape{{-1, input[1], features}}});
    }
    stack::suit(*op, input);
    if (auto* head = std::get_if<stack::Head>(&*op)) {
        const std::int64_t channels = input.empty() ? 1 : input[1];
        head->outChannels =
            experiment.loss == stack::Loss::Mean ? channels : outputChannels(experiment, channels);
    }
    if (std::holds_alternative<stack::Linear>(*op) && input.size() > 2) {
        added.push_back({"", stack::Flatten{}});
    }
    added.push_back({"", std::move(*op)});
    return insertLayers(experiment.stack, parent, row, std::move(added));
}

}  // namespace highwater::desktop
