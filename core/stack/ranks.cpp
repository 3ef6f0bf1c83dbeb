#include "core/stack/ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/base/processor.h"
#include "core/stack/program.h"

namespace highwater::stack {

namespace {

using base::Error;

/// By step: whether an output depends on it.
std::vector<bool> reachedFromOutputs(const Program& program) {
    std::vector<bool> reached(program.steps.size(), false);
    std::vector<int> waiting = program.outputs;
    while (!waiting.empty()) {
        const int value = waiting.back();
        waiting.pop_back();
        if (value < 0 || reached[static_cast<std::size_t>(value)]) {
            continue;
        }
        reached[static_cast<std::size_t>(value)] = true;
        const std::vector<int> read = valuesRead(program.steps[static_cast<std::size_t>(value)]);
        waiting.insert(waiting.end(), read.begin(), read.end());
    }
    return reached;
}

/// The segments that have their own backward, by their first steps.
void collectBackwards(const std::vector<Segment>& segments, std::vector<int>& firsts) {
    for (const Segment& segment : segments) {
        if (segment.checkpoint) {
            collectBackwards(segment.inner, firsts);
        } else {
            firsts.push_back(segment.first);
        }
    }
}

}  // namespace

base::Status checkRanks(const Experiment& experiment, const StackInfo& info) {
    if (!experiment.step.train) {
        return Error{
            "/step/train is false: several ranks average gradients, and there are none; set it to true"};
    }
    const Program program = makeProgram(experiment, info);
    const std::vector<bool> reached = reachedFromOutputs(program);
    std::vector<int> firsts;
    collectBackwards(program.segments, firsts);
    const auto backwardOf = [&firsts](std::size_t step) {
        return std::upper_bound(firsts.begin(), firsts.end(), static_cast<int>(step)) - firsts.begin();
    };
    std::vector<bool> used(program.steps.size(), false);
    for (std::size_t i = 0; i < program.steps.size(); ++i) {
        const auto owner = static_cast<std::size_t>(program.steps[i].owner);
        used[owner] = used[owner] || reached[i];
        if (owner != i && backwardOf(owner) != backwardOf(i)) {
            return Error{fmt::format(
                "layer {} uses the parameters of a layer in another checkpointed segment: their gradient "
                "comes "
                "in parts, of which several ranks would average only the first; checkpoint both together, or "
                "neither",
                info.layers[static_cast<std::size_t>(program.steps[i].layer)].name)};
        }
    }
    for (std::size_t i = 0; i < program.steps.size(); ++i) {
        const LayerInfo& layer = info.layers[static_cast<std::size_t>(program.steps[i].layer)];
        if (program.steps[i].owner == static_cast<int>(i) && layer.parameters > 0 && !used[i]) {
            return Error{
                fmt::format("layer {} gets no gradient, since no output depends on it: several ranks "
                            "would wait for it; remove the layer",
                            layer.name)};
        }
    }
    return {};
}

Experiment forEachRank(Experiment experiment, int ranks) {
    if (ranks > 1 && experiment.backend.threads == 0) {
        experiment.backend.threads = std::max(1, base::defaultThreads() / ranks);
    }
    return experiment;
}

std::uint64_t seedOfRank(std::uint64_t seed, int rank) {
    return seed + static_cast<std::uint64_t>(rank) * 0x9E3779B97F4A7C15U;
}

}  // namespace highwater::stack
