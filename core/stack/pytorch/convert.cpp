#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ranges>
#include <unordered_set>

#include "core/layers/limits.h"
#include "core/stack/pytorch/network.h"

namespace highwater::stack::pytorch {

namespace {

/// The type of the first parameter; 0 if there is none.
std::int64_t typeOfParameters(const Graph& graph) {
    if (graph.parameters.empty()) {
        return 0;
    }
    const auto& meta = graph.values[graph.parameters.front().value].meta;
    return meta ? meta->dtype : 0;
}

using Output = std::pair<std::string, Ref>;

/// Largest first, because that is the stack's output; the others are heads.
base::Result<std::vector<Output>> sortedOutputs(const Graph& graph, const std::string& wanted) {
    std::vector<Output> chosen;
    std::string keys;
    for (const Output& output : graph.outputs) {
        keys += (keys.empty() ? "" : ", ") + output.first;
        if (wanted.empty() || output.first == wanted) {
            chosen.push_back(output);
        }
    }
    if (graph.outputs.empty()) {
        return base::Error{"the network returns no tensor"};
    }
    if (chosen.empty()) {
        return base::Error{fmt::format("the network has no output \"{}\"; it has {}", wanted, keys)};
    }
    const auto voxels = [&graph](const Output& output) {
        const Shape& shape = graph.shape(output.second);
        return elements(shape.size() < 2 ? Shape() : Shape(shape.begin() + 2, shape.end()));
    };
    std::stable_sort(chosen.begin(), chosen.end(),
                     [&voxels](const Output& a, const Output& b) { return voxels(a) > voxels(b); });
    return chosen;
}

/// The value of an output.
base::Result<int> endOf(Values& values, const Output& output) {
    Call reader;
    reader.name = "the output";
    const Activation* held = values.activation(output.second);
    const base::Result<int> value =
        held ? values.read(*held, reader)
             : base::Error{"the output with " + std::get<Constant>(values.held(output.second)).what};
    if (value && *value == kInput) {
        return base::Error{fmt::format("output {} of the network is its input", output.first)};
    }
    return value ? value : values.append({}, {}, {}, {.unknown = value.error().message}).output;
}

/// The steps that an output needs.
Steps liveSteps(std::deque<Step>& steps, const std::vector<int>& ends) {
    std::set<int> needed(ends.begin(), ends.end());
    Steps live;
    for (Step& step : std::ranges::reverse_view(steps)) {
        if (needed.contains(step.output)) {
            needed.insert(step.inputs.begin(), step.inputs.end());
            live.push_back(&step);
        }
    }
    std::reverse(live.begin(), live.end());
    return live;
}

void append(std::vector<std::string>& notes, const std::vector<std::string>& more) {
    notes.insert(notes.end(), more.begin(), more.end());
}

base::Result<Network> finish(const Graph& graph, const Steps& steps, std::vector<std::string> notes,
                             LeftOut left, int output) {
    const auto tooMany = [](std::size_t count) {
        return base::Error{
            fmt::format("the network has {} layers; an experiment has at most {}", count, kMostLayers)};
    };
    if (steps.size() > kMostLayers) {
        return tooMany(steps.size());
    }
    Entries entries = writeStack(headsFirst(outputLast(steps, output)), output);
    const auto refused = settleInplace(entries);
    if (entries.size() > kMostLayers) {
        return tooMany(entries.size());
    }
    left.checkpoints = static_cast<std::int64_t>(graph.checkpoints + dropTornCheckpoints(entries));
    append(notes, aboutLeftOut(left));
    append(notes, aboutInputs(graph));
    append(notes, unknownOf(steps));
    append(notes, remarksOf(steps));
    append(notes, refusalsOf(refused));
    append(notes, aboutParameters(graph, entries, left));
    append(notes, aboutTheProgram(graph));
    Network network;
    network.name = className(graph);
    network.stack = nestBlocks(entries);
    network.input = graph.inputShape();
    network.dtype = typeOfParameters(graph);
    network.notes = std::move(notes);
    network.leftOut = left;
    for (const Entry& entry : entries) {
        network.parameters.push_back(entry.parameters);
    }
    return network;
}

}  // namespace

void shareParameters(const Steps& steps) {
    std::map<std::string, Step*> first;
    for (Step* step : steps) {
        std::set<Step*> known;
        for (const auto& [role, name] : step->parameters) {
            if (const auto found = first.find(name); found != first.end()) {
                known.insert(found->second);
            }
        }
        if (known.empty()) {
            for (const auto& [role, name] : step->parameters) {
                first[name] = step;
            }
            continue;
        }
        const Step* earlier = *known.begin();
        if (known.size() > 1 || earlier->parameters != step->parameters || earlier->layer != step->layer) {
            step->unknown =
                step->layer["type"].get<std::string>() + " with parameters of a layer that differs";
        }
        step->shared = earlier;
    }
}

base::Result<Network> convertGraph(const Graph& graph, const PytorchOptions& options,
                                   base::MemoryBudget& budget) {
    const std::string precision = precisionOf(typeOfParameters(graph), options);
    Values values = readSteps(graph, precision.starts_with("fp16") || precision.starts_with("bf16"), budget);
    const auto outputs = sortedOutputs(graph, options.output);
    if (!outputs) {
        return outputs.error();
    }
    std::vector<int> ends;
    std::vector<std::string> names;
    for (const Output& each : *outputs) {
        const auto end = endOf(values, each);
        if (!end) {
            return end.error();
        }
        ends.push_back(*end);
        names.push_back(each.first);
    }
    if (values.tooLarge()) {
        return budget.error();
    }
    const Steps steps = liveSteps(values.steps, ends);
    const std::unordered_set<int> sideEnds(ends.begin() + 1, ends.end());
    const bool heads = std::all_of(steps.begin(), steps.end(), [&sideEnds](const Step* step) {
        return step->unknown.empty() || !sideEnds.contains(step->output);
    });
    if (const auto known = refuseUnknown(steps, graph, heads); !known) {
        return known.error();
    }
    auto notes =
        makeHeads(steps, {ends.begin() + 1, ends.end()}, {names.begin() + 1, names.end()}, names.front());
    if (!notes) {
        return notes.error();
    }
    shareParameters(steps);
    if (const auto known = refuseUnknown(steps, graph); !known) {
        return known.error();
    }
    LeftOut left;
    left.outputs = static_cast<std::int64_t>(graph.outputs.size() - outputs->size());
    auto network = finish(graph, steps, *std::move(notes), left, ends.front());
    if (network) {
        network->output = graph.shape(outputs->front().second);
    }
    return network;
}

}  // namespace highwater::stack::pytorch
