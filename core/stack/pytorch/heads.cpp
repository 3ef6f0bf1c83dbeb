#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "core/stack/pytorch/network.h"

namespace highwater::stack::pytorch {

namespace {

bool canBeHead(const base::Json& layer) {
    return layer["type"] == "conv" && layer["kernel_size"] == 1 && !layer.contains("stride") &&
           !layer.contains("padding") && !layer.contains("groups");
}

base::Json headOf(const base::Json& layer, double weight) {
    base::Json head{{"type", "head"}, {"weight", weight}, {"out_channels", layer["out_channels"]}};
    if (layer.contains("bias")) {
        head["bias"] = layer["bias"];
    }
    return head;
}

std::string kindOf(const Step& step) {
    const std::string place = where(step.scopes);
    return fmt::format("{} in {}", step.layer["type"].get<std::string>(),
                       place.empty() ? "the network itself" : place);
}

}  // namespace

base::Result<std::vector<std::string>> makeHeads(const Steps& steps, const std::vector<int>& ends,
                                                 const std::vector<std::string>& names,
                                                 const std::string& largest) {
    std::set<int> readByOthers;
    std::unordered_map<int, Step*> makers;
    for (Step* step : steps) {
        readByOthers.insert(step->inputs.begin(), step->inputs.end());
        makers.emplace(step->output, step);
    }
    std::vector<std::string> weights;
    for (std::size_t i = 0; i < ends.size(); ++i) {
        Step& step = *makers.at(ends[i]);  // it exists, because the output needs it
        if (!canBeHead(step.layer) || readByOthers.contains(ends[i])) {
            return base::Error{
                fmt::format("output {} comes from {}, not from a convolution of kernel 1 that nothing else "
                            "reads, so it cannot be a head; choose one output to leave the others out, such "
                            "as {} (--output {})",
                            names[i], kindOf(step), largest, largest)};
        }
        const double weight = std::pow(0.5, static_cast<double>(i + 1));
        step.layer = headOf(step.layer, weight);
        weights.push_back(fmt::format("{:g}", weight));
    }
    if (weights.empty()) {
        return std::vector<std::string>();
    }
    return std::vector<std::string>{fmt::format(
        "the side outputs are heads; their weights in the loss are taken as {}", fmt::join(weights, ", "))};
}

Steps outputLast(Steps steps, int output) {
    const auto isRead = [output](const Step* step) {
        return step->layer["type"] != "head" &&
               std::find(step->inputs.begin(), step->inputs.end(), output) != step->inputs.end();
    };
    if (std::none_of(steps.begin(), steps.end(), isRead)) {
        std::stable_partition(steps.begin(), steps.end(),
                              [output](const Step* step) { return step->output != output; });
    }
    return steps;
}

Steps headsFirst(const Steps& steps) {
    const auto isHead = [](const Step* step) { return step->layer["type"] == "head"; };
    Steps ordered;
    std::unordered_map<int, Steps> heads;  // heads by the value that they read
    for (Step* step : steps) {
        if (isHead(step) && step->inputs.size() == 1) {
            heads[step->inputs.front()].push_back(step);
        }
    }
    const auto addHeadsOf = [&](int value) {
        if (const auto found = heads.find(value); found != heads.end()) {
            ordered.insert(ordered.end(), found->second.begin(), found->second.end());
        }
    };
    addHeadsOf(kInput);
    for (Step* step : steps) {
        if (!isHead(step)) {
            ordered.push_back(step);
            addHeadsOf(step->output);
        }
    }
    return ordered;
}

}  // namespace highwater::stack::pytorch
