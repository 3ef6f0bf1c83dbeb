#include "core/runs/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/stack/json/json.h"
#include "core/wire/script_source.h"

namespace highwater::runs {

namespace {

using Json = nlohmann::ordered_json;

std::string shown(const Json* value) {
    if (!value) {
        return "default";
    }
    return base::oneLine(value->is_string() ? value->get<std::string>() : value->dump(), 60);
}

const Json* member(const Json* object, const std::string& key) {
    if (!object || !object->is_object()) {
        return nullptr;
    }
    const auto at = object->find(key);
    return at == object->end() ? nullptr : &*at;
}

class Differences {
public:
    void add(std::string_view name, std::string_view before, std::string_view after) {
        if (before != after) {
            lines_.push_back(fmt::format("{} {} → {}", name, before, after));
        }
    }
    void add(std::string_view name, std::int64_t before, std::int64_t after) {
        add(name, std::to_string(before), std::to_string(after));
    }
    void addSizes(std::string_view name, const stack::Sizes& before, const stack::Sizes& after) {
        if (before != after) {
            add(name, base::formatShape(before), base::formatShape(after));
        }
    }
    /// Adds the differences of all keys of two objects, recursively. Keys in `skipped` are compared
    /// elsewhere.
    void addObjects(const std::string& prefix, const Json* before, const Json* after,
                    std::initializer_list<std::string_view> skipped = {}) {
        std::vector<std::string> keys;
        for (const Json* side : {before, after}) {
            if (side && side->is_object()) {
                for (const auto& [key, value] : side->items()) {
                    if (std::find(keys.begin(), keys.end(), key) == keys.end() &&
                        std::find(skipped.begin(), skipped.end(), key) == skipped.end()) {
                        keys.push_back(key);
                    }
                }
            }
        }
        for (const std::string& key : keys) {
            const Json *left = member(before, key), *right = member(after, key);
            const std::string name = prefix.empty() ? key : prefix + " " + key;
            if ((left && left->is_object()) || (right && right->is_object())) {
                addObjects(name, left, right);
            } else {
                add(name, shown(left), shown(right));
            }
        }
    }
    /// Compares layers one by one if both lists have the same length; otherwise only their lengths.
    void addLayers(const std::string& prefix, const Json* before, const Json* after) {
        const std::size_t left = before ? before->size() : 0, right = after ? after->size() : 0;
        if (left != right) {
            return add(prefix.empty() ? "layers" : prefix + " layers", std::to_string(left),
                       std::to_string(right));
        }
        for (std::size_t i = 0; i < left; ++i) {
            const Json &one = (*before)[i], &other = (*after)[i];
            const std::string type = shown(member(&one, "type")), otherType = shown(member(&other, "type"));
            std::string name = fmt::format("{}layer {}", prefix.empty() ? "" : prefix + " ", i + 1);
            if (type != otherType) {
                add(name, type, otherType);
                continue;
            }
            name += " " + type;
            addObjects(name, &one, &other, {"type", "layers"});
            addLayers(name, member(&one, "layers"), member(&other, "layers"));
        }
    }
    std::vector<std::string> take() { return std::move(lines_); }

private:
    std::vector<std::string> lines_;
};

std::string checkpointName(const stack::Checkpointing& checkpoint) {
    using Kind = stack::Checkpointing::Kind;
    if (checkpoint.kind == Kind::Segments) {
        return fmt::format("{} segments", checkpoint.segments);
    }
    if (checkpoint.kind == Kind::Plan) {
        return fmt::format("a plan of {}",
                           base::counted(static_cast<std::int64_t>(checkpoint.plan.size()), "part"));
    }
    return checkpoint.kind == Kind::None ? "none" : checkpoint.kind == Kind::Sqrt ? "sqrt" : "blocks";
}

void addStep(const stack::Step& before, const stack::Step& after, Differences& all) {
    const auto yesNo = [](bool value) { return std::string_view(value ? "yes" : "no"); };
    all.add("batch", before.batchSize, after.batchSize);
    all.add("micro-batches", before.microBatches, after.microBatches);
    all.add("precision", stack::precisionName(before.precision), stack::precisionName(after.precision));
    all.add("channels_last", yesNo(before.channelsLast), yesNo(after.channelsLast));
    all.add("checkpoint", checkpointName(before.checkpoint), checkpointName(after.checkpoint));
    all.add("train", yesNo(before.train), yesNo(after.train));
    all.add("keep_output", yesNo(before.keepOutput), yesNo(after.keepOutput));
    all.add("keep_gradients", yesNo(before.keepGradients), yesNo(after.keepGradients));
    all.add("clip_gradients", before.clipGradients, after.clipGradients);
    all.add("soft_targets", yesNo(before.softTargets), yesNo(after.softTargets));
    all.add("seed", std::to_string(before.seed), std::to_string(after.seed));
}

void addMachine(const wire::Environment& before, const wire::Environment& after, Differences& all) {
    all.add("device", before.device, after.device);
    all.add("device name", before.deviceName, after.deviceName);
    all.add("threads", before.threads, after.threads);
    all.add("isa", before.isa, after.isa);
    for (const auto& [name, version] : before.versions) {
        if (const auto at = after.versions.find(name); at != after.versions.end()) {
            all.add(name, version, at->second);
        }
    }
}

std::string budgetOf(const RunRecord& run) {
    for (const wire::Event& event : run.events) {
        if (const auto* started = std::get_if<wire::Started>(&event)) {
            return started->budget ? base::formatBytes(*started->budget) : "none";
        }
    }
    return "none";
}

}  // namespace

std::vector<std::string> differences(const RunRecord& run, const RunRecord& baseline) {
    Differences all;
    if (run.script && baseline.script) {
        all.add("command", wire::commandText(*baseline.script), wire::commandText(*run.script));
    }
    addStep(baseline.experiment.step, run.experiment.step, all);
    all.add("budget", budgetOf(baseline), budgetOf(run));
    all.add("measured steps", baseline.result.stepMs.n, run.result.stepMs.n);
    all.addSizes("patch", baseline.summary.patch, run.summary.patch);
    const Json before = stack::toJson(baseline.experiment), after = stack::toJson(run.experiment);
    all.addObjects("", &before, &after, {"schema", "name", "step", "stack", "input"});
    all.addObjects("input", member(&before, "input"), member(&after, "input"), {"patch"});
    all.addLayers("", member(&before, "stack"), member(&after, "stack"));
    addMachine(baseline.result.environment, run.result.environment, all);
    return all.take();
}

}  // namespace highwater::runs
