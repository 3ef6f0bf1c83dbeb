#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

#include "core/stack/pytorch/network.h"

namespace highwater::stack::pytorch {

namespace {

/// Counts each non-empty text, and remembers its first item.
class Counter {
public:
    void add(const std::string& text, const Scopes& scopes) {
        if (text.empty()) {
            return;
        }
        const auto [at, isNew] = indices_.emplace(text, all_.size());
        if (!isNew) {
            ++all_[at->second].count;
        } else {
            const std::string place = where(scopes);
            all_.push_back({text, place.empty() ? "the network itself" : place, 1});
        }
    }
    /// "{} once, in {}", with `before` and each text.
    std::vector<std::string> lines(std::string_view before, std::string_view after) const {
        std::vector<std::string> lines;
        for (const Counted& each : all_) {
            const std::string places = each.count > 1
                                           ? fmt::format("{} times, first in {}", each.count, each.first)
                                           : fmt::format("once, in {}", each.first);
            lines.push_back(fmt::format("{}{}{} ({})", before, each.text, after, places));
        }
        return lines;
    }

private:
    struct Counted {
        std::string text, first;
        int count;
    };
    std::vector<Counted> all_;
    std::map<std::string, std::size_t> indices_;
};

/// "1,234,567".
std::string grouped(std::uint64_t number) {
    std::string text = std::to_string(number);
    for (std::size_t at = text.size(); at > 3;) {
        at -= 3;
        text.insert(at, ",");
    }
    return text;
}

/// What tied parameters share: the last part of their names, and the shape.
std::pair<std::string, Shape> alike(const Graph& graph, const Parameter& parameter) {
    const std::size_t at = parameter.name.rfind('.');
    return {at == std::string::npos ? parameter.name : parameter.name.substr(at + 1),
            graph.shape(parameter.value)};
}

}  // namespace

base::Status refuseUnknown(const Steps& steps, const Graph& graph, bool bounds) {
    Counter counter;
    bool frozen = false;
    for (const Step* step : steps) {
        counter.add(step->unknown, step->scopes);
        frozen = frozen || step->unknown.ends_with("that is not training") ||
                 step->unknown.ends_with("_no_training");
        const bool bound = step->layer.is_object() && step->layer.value("type", "") == "unknown";
        bounds = bounds && (step->unknown.empty() || bound);
    }
    const auto lines = counter.lines("no layer implements ", "");
    if (lines.empty() || (bounds && !frozen && !graph.functional)) {
        return {};
    }
    std::string advice;
    if (frozen) {
        advice = "; export the network as it is trained: model.train()";
    } else if (graph.functional) {
        advice =
            "; the program was decomposed, save what torch.export.export of PyTorch 2.7 or newer returns";
    }
    return base::Error{fmt::format("{}{}", fmt::join(lines, "; "), advice)};
}

std::vector<std::string> unknownOf(const Steps& steps) {
    Counter counter;
    for (const Step* step : steps) {
        counter.add(step->unknown, step->scopes);
    }
    auto lines = counter.lines("no layer implements ", "");
    for (std::string& line : lines) {
        line +=
            ": what it takes is not counted, predictions are bounds from below, and the network cannot run";
    }
    return lines;
}

std::vector<std::string> remarksOf(const Steps& steps) {
    Counter counter;
    for (const Step* step : steps) {
        counter.add(step->remark, step->scopes);
    }
    return counter.lines("the file does not say ", "");
}

std::vector<std::string> refusalsOf(const std::vector<const Entry*>& refused) {
    Counter counter;
    for (const Entry* entry : refused) {
        counter.add(entry->layer["type"], entry->scopes);
    }
    return counter.lines(
        "", " works in place, but Highwater's engine cannot do so here; it is written out of place");
}

std::vector<std::string> aboutInputs(const Graph& graph) {
    if (graph.inputs.size() < 2) {
        return {};
    }
    std::vector<std::string> parts;
    for (const Ref ref : graph.inputs) {
        parts.push_back(
            fmt::format("{} of {}", graph.values[ref].name, base::counted(graph.shape(ref)[1], "channel")));
    }
    return {fmt::format(
        "the experiment's input is {}, side by side; where a batch has several samples each is copied "
        "from it, which a program in PyTorch need not do",
        fmt::join(parts, ", "))};
}

std::vector<std::string> aboutTheProgram(const Graph& graph) {
    Counter counter;
    for (const Call& call : graph.calls) {
        const auto train = call.arguments.find("train");
        const auto* trains = train == call.arguments.end() ? nullptr : std::get_if<bool>(&train->second);
        if (call.name.find("dropout") != std::string::npos && trains && !*trains) {
            counter.add(call.name, call.scopes);
        }
    }
    auto notes = counter.lines("",
                               " is as in evaluation and left out; export the network as it is trained: "
                               "model.train()");
    if (graph.functional) {
        notes.emplace_back(
            "the program was made functional, so the file does not say what works in place; "
            "torch.export.export "
            "of PyTorch 2.7 or newer (before, export_for_training) keeps it");
    }
    return notes;
}

std::vector<std::string> aboutLeftOut(const LeftOut& left) {
    std::vector<std::string> notes;
    if (left.outputs > 0) {
        notes.push_back(
            fmt::format("{} not counted, so predictions are bounds from below",
                        left.outputs == 1
                            ? "one output is left out, and what only it needs"
                            : fmt::format("{} outputs are left out, and what only they need", left.outputs)));
    }
    if (left.checkpoints > 0) {
        notes.push_back(fmt::format(
            "{} not taken over, so predictions are bounds from above; mark the blocks (\"checkpoint\": "
            "true), or "
            "import with the Python package",
            left.checkpoints == 1 ? "one call of torch.utils.checkpoint is"
                                  : fmt::format("{} calls of torch.utils.checkpoint are", left.checkpoints)));
    }
    return notes;
}

std::vector<std::string> aboutParameters(const Graph& graph, const Entries& entries, LeftOut& left) {
    std::set<std::string> used, counted;
    for (const Entry& entry : entries) {
        for (const auto& [role, name] : entry.parameters) {
            used.insert(name);
        }
    }
    std::set<std::pair<std::string, Shape>> usedOnes;
    for (const Parameter& parameter : graph.parameters) {
        if (!graph.tiesKnown && used.contains(parameter.name)) {
            usedOnes.insert(alike(graph, parameter));
        }
    }
    std::uint64_t unused = 0, frozen = 0;
    bool least = false;
    for (const Parameter& parameter : graph.parameters) {
        const auto count = static_cast<std::uint64_t>(elements(graph.shape(parameter.value)));
        const auto& meta = graph.values[parameter.value].meta;
        if (!counted.insert(parameter.name).second) {
            continue;  // another name of the same parameter
        }
        if (used.contains(parameter.name)) {
            frozen += meta && !meta->requiresGrad ? count : 0;
        } else if (usedOnes.contains(alike(graph, parameter))) {
            least = true;  // it may be another name of a used parameter
        } else {
            unused += count;
        }
    }
    std::vector<std::string> notes;
    left.parameters = static_cast<std::int64_t>(unused);
    if (unused > 0) {
        const bool holes = std::any_of(entries.begin(), entries.end(),
                                       [](const Entry& entry) { return entry.layer["type"] == "unknown"; });
        notes.push_back(
            fmt::format("{}{} parameters have no part in the output{} and are left out, so predictions "
                        "are bounds from below",
                        least ? "at least " : "", grouped(unused),
                        holes ? ", or only in operators without a layer," : ""));
    }
    if (frozen > 0) {
        notes.push_back(fmt::format("{} parameters need no gradient; in the file they train like the others",
                                    grouped(frozen)));
    }
    return notes;
}

}  // namespace highwater::stack::pytorch
