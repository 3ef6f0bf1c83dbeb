#include "core/stack/shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/base/text.h"
#include "core/layers/rules.h"
#include "core/stack/settings.h"
#include "core/stack/shared.h"
#include "core/stack/storages.h"
#include "core/stack/windows.h"

namespace highwater::stack {

using base::Error;
using base::Result;

namespace {

std::string label(int index, std::string_view type) {
    return fmt::format("layer {} `{}`", index + 1, type);
}

/// The layers that have ids and the layers that read them; collected before any shape is known.
struct LayerNames {
    struct Owner {
        int index;
        std::string_view type;
        const Op* op;
    };
    std::map<std::string, Owner, std::less<>> owners;
    Storages::LastUse lastUse;
    int count = 0;

    std::optional<Error> collect(const std::vector<Layer>& layers, int depth) {
        if (depth > kDeepestBlock) {
            return Error{fmt::format("blocks are nested more than {} deep", kDeepestBlock)};
        }
        for (const Layer& layer : layers) {
            if (auto error = collect(layer, depth)) {
                return error;
            }
        }
        return std::nullopt;
    }

private:
    std::optional<Error> collect(const Layer& layer, int depth) {
        const int index = count++;
        if (static_cast<std::size_t>(index) >= kMostLayers) {
            return Error{fmt::format("the stack has more than {} layers", kMostLayers)};
        }
        const std::string_view type = typeName(layer.op);
        if (!layer.id.empty() && type == "head") {
            return Error{
                fmt::format("{}: a head passes its input on and has no id; give \"{}\" to the layer before",
                            label(index, type), base::oneLine(layer.id, 40))};
        }
        if (!layer.id.empty()) {
            const auto [owner, fresh] = owners.try_emplace(layer.id, Owner{index, type, &layer.op});
            if (!fresh) {
                return Error{fmt::format("{}: the id \"{}\" is taken by {}; give it another",
                                         label(index, type), base::oneLine(layer.id, 40),
                                         label(owner->second.index, owner->second.type))};
            }
        }
        const auto* const merge = std::get_if<Merge>(&layer.op);
        const auto* const unknown = std::get_if<Unknown>(&layer.op);
        if (merge || unknown) {
            for (const std::string& id : merge ? merge->with : unknown->with) {
                lastUse[id] = {index, type};
            }
        }
        if (const auto* block = std::get_if<Block>(&layer.op)) {
            return collect(block->layers, depth + 1);
        }
        return std::nullopt;
    }
};

/// One pass over the stack in the order of execution.
class Walk {
public:
    Walk(const Experiment& e, const LayerNames& names, StackInfo& info)
        : names_(names),
          info_(info),
          storages_(names.lastUse),
          current_(info.input),
          element_(elementBytes(e.step.precision)),
          train_(e.step.train) {
        info_.layers.reserve(static_cast<std::size_t>(names.count));
    }

    /// The layers' names begin with `prefix`; `parent` is the index of the block that contains them.
    std::optional<Error> run(const std::vector<Layer>& layers, std::vector<int> path,
                             const std::string& prefix, int parent) {
        path.push_back(0);
        for (std::size_t i = 0; i < layers.size(); ++i) {
            path.back() = static_cast<int>(i);
            if (auto error = step(layers[i], path, prefix, parent)) {
                return error;
            }
        }
        return std::nullopt;
    }

    const Shape& output() const { return current_; }

private:
    LayerInfo& at(int index) { return info_.layers[static_cast<std::size_t>(index)]; }

    std::optional<Error> step(const Layer& layer, const std::vector<int>& path, const std::string& prefix,
                              int parent) {
        const int index = static_cast<int>(info_.layers.size());
        LayerInfo& fresh = info_.layers.emplace_back();
        fresh.path = path;
        fresh.type = typeName(layer.op);
        fresh.name = unique(nameOf(layer, path, prefix, index));
        if (fresh.name.size() > kLongestText) {
            return Error{
                fmt::format("{}: its name and those of the blocks around it have {} bytes together; at most "
                            "{} are allowed",
                            label(index, fresh.type), fresh.name.size(), kLongestText)};
        }
        fresh.depth = static_cast<int>(path.size()) - 1;
        fresh.input = current_;
        fresh.block = parent;
        const auto* block = std::get_if<Block>(&layer.op);
        auto error = block ? enterBlock(*block, index) : applyLayer(layer.op, index);
        if (error) {
            return error;
        }
        if (!layer.id.empty()) {
            storages_.name(layer.id, label(index, at(index).type));
        }
        return std::nullopt;
    }

    std::optional<Error> enterBlock(const Block& block, int index) {
        const std::string prefix = at(index).name + " · ";
        if (auto error = run(block.layers, at(index).path, prefix, index)) {
            return error;
        }
        LayerInfo& mine = at(index);
        for (std::size_t i = static_cast<std::size_t>(index) + 1; i < info_.layers.size(); ++i) {
            if (info_.layers[i].block == index) {
                mine.parameters += info_.layers[i].parameters;
                mine.newBytes += info_.layers[i].newBytes;
            }
        }
        const auto bytes = tensorBytes(current_, element_, "an output");
        mine.output = current_;
        mine.outputBytes = bytes ? *bytes : 0;
        return std::nullopt;
    }

    std::optional<Error> applyLayer(const Op& op, int index) {
        LayerInfo& mine = at(index);
        const auto named = [&](const Error& error) {
            return Error{fmt::format("{}: {}", label(index, mine.type), error.message)};
        };
        const auto* merge = std::get_if<Merge>(&op);
        const auto* shared = std::get_if<Shared>(&op);
        const auto* unknown = std::get_if<Unknown>(&op);
        auto rule = merge     ? mergeRule(*merge, index)
                    : shared  ? sharedRule(shared->with, index)
                    : unknown ? unknownRule(*unknown, index)
                              : layerRule(op, current_, train_);
        if (!rule) {
            return named(rule.error());
        }
        if (rule->output.front() % info_.input.front() != 0 && !readsNothing(shared ? usedBy(*shared) : op)) {
            return named(Error{fmt::format("an output of {} mixes the {} samples of the batch",
                                           base::formatShape(rule->output), info_.input.front())});
        }
        for (const std::int64_t size : rule->output) {
            if (size > kMostSize) {
                return named(Error{fmt::format("an output of {} is larger than {} along one axis",
                                               base::formatShape(rule->output), kMostSize)});
            }
        }
        const auto bytes = tensorBytes(rule->output, element_, "an output");
        if (!bytes) {
            return named(bytes.error());
        }
        const Op& does = shared ? usedBy(*shared) : op;
        const bool branches = merge && merge->kind == Merge::Kind::Branch;
        if (auto error = branches ? storages_.branch(merge->with.front(), index, label(index, mine.type))
                                  : storages_.apply(does, index, label(index, mine.type), train_)) {
            return named(*error);
        }
        mine.output = std::move(rule->output);
        if (!std::holds_alternative<Head>(op)) {
            current_ = mine.output;
        }
        mine.parameters = rule->parameters;
        mine.outputBytes = *bytes;
        mine.newBytes = branches || unknown || worksInPlace(does) || passesThrough(does, train_) ? 0 : *bytes;
        info_.parameters += rule->parameters;
        return std::nullopt;
    }

    Result<LayerRule> unknownRule(const Unknown& unknown, int index) {
        auto rule = About<Unknown>::rule(unknown, info_.input.front());
        if (rule) {
            if (auto error = findOutputs(unknown.with, index)) {
                return *error;
            }
        }
        return rule;
    }

    /// The operator that a valid Shared reuses.
    const Op& usedBy(const Shared& shared) const { return *names_.owners.find(shared.with)->second.op; }

    Result<LayerRule> mergeRule(const Merge& merge, int index) {
        const bool attention = merge.kind == Merge::Kind::Attention;
        const std::size_t count = merge.with.size();
        if (attention ? count != 2 && count != 3 : merge.kind != Merge::Kind::Concat && count > 1) {
            return Error{fmt::format("brings back {}, not {}",
                                     !attention  ? "one output"
                                     : count > 3 ? "at most three outputs, the keys, the values and a mask"
                                                 : "two outputs, the keys and the values",
                                     count)};
        }
        if (auto error = findOutputs(merge.with.empty() ? std::vector<std::string>{""} : merge.with, index)) {
            return *error;
        }
        std::vector<About<Merge>::Back> back;
        for (const int other : at(index).with) {
            back.push_back({at(other).output, label(other, at(other).type)});
        }
        return About<Merge>::rule(merge, current_, back);
    }

    /// The rule of the reused layer, for the input here; it has no parameters of its own.
    Result<LayerRule> sharedRule(const std::string& id, int index) {
        const auto owner = HIGHWATER_TRY(findOutput(id, index));
        const Op& used = *names_.owners.find(id)->second.op;
        const std::string where = label(owner, at(owner).type);
        if (!learns(used)) {
            return Error{fmt::format("uses {} again, which has no parameters; name a layer that has", where)};
        }
        const Shape& its = at(owner).input;
        const bool last = std::holds_alternative<Linear>(used);  // what its parameters depend on
        if (its.size() != current_.size() || its[1] != current_[1] ||
            (last && its.back() != current_.back())) {
            return Error{
                fmt::format("uses {} again, whose input is {}, not {}; the channels and the number of "
                            "axes must be equal",
                            where, base::formatShape(its), base::formatShape(current_))};
        }
        auto rule = layerRule(used, current_, train_);
        if (rule) {
            at(index).owner = owner;
            rule->parameters = 0;
        }
        return rule;
    }

    /// Records the outputs that layer `index` reads again.
    std::optional<Error> findOutputs(const std::vector<std::string>& ids, int index) {
        for (const std::string& id : ids) {
            const auto other = HIGHWATER_TRY(findOutput(id, index));
            at(index).with.push_back(other);
        }
        return std::nullopt;
    }

    Result<int> findOutput(const std::string& id, int index) {
        if (id.empty()) {
            return Error{"names no output; set with to the id of an earlier layer"};
        }
        const std::string shown = base::oneLine(id, 40);
        const auto owner = names_.owners.find(id);
        if (owner == names_.owners.end()) {
            std::vector<std::string_view> ids;
            for (const auto& [known, _] : names_.owners) {
                ids.push_back(known);
            }
            const std::string near = base::nearestWord(id, ids);
            return Error{fmt::format("no layer has the id \"{}\"{}", shown,
                                     near.empty() ? "; give the id to an earlier layer"
                                                  : fmt::format("; did you mean \"{}\"?", near))};
        }
        const int found = owner->second.index;
        if (found == index) {
            return Error{fmt::format("brings back its own output \"{}\"; name an earlier layer", shown)};
        }
        if (found > index) {
            return Error{fmt::format("the id \"{}\" is {}'s, which comes later; name an earlier layer", shown,
                                     label(found, owner->second.type))};
        }
        if (at(found).output.empty()) {
            return Error{fmt::format("lies inside {}, whose output \"{}\" it uses; name an earlier layer",
                                     label(found, owner->second.type), shown)};
        }
        return found;
    }

    static std::string nameOf(const Layer& layer, const std::vector<int>& path, const std::string& prefix,
                              int index) {
        const auto* block = std::get_if<Block>(&layer.op);
        if (const std::string name = block ? base::oneLine(block->name, kLongestText) : ""; !name.empty()) {
            return prefix + name;
        }
        return fmt::format("{}{} {}", prefix, path.size() == 1 ? index + 1 : path.back() + 1,
                           typeName(layer.op));
    }

    std::string unique(const std::string& name) {
        std::string candidate = name;
        int& next = numbers_.try_emplace(name, 2).first->second;
        while (!taken_.insert(candidate).second) {
            candidate = fmt::format("{} ({})", name, next++);
        }
        return candidate;
    }

    const LayerNames& names_;
    StackInfo& info_;
    Storages storages_;
    Shape current_;
    base::Bytes element_;
    bool train_;
    std::set<std::string> taken_;
    std::map<std::string, int> numbers_;  // for a name that is taken: the next number to try
};

Result<Shape> scanShape(const ScanInput& scan) {
    if (scan.scans.empty() && scan.cohort.empty()) {
        return Error{"input: no scan is chosen; give a scan, a cohort or a synthetic shape"};
    }
    const auto patch = HIGHWATER_TRY(base::prefixed(
        "input", scan.patch.size() == 2 ? Result<PerAxis>(Error{"patch has 2 numbers; give one or three"})
                                        : perAxis(scan.patch, 3, "patch", 1, kMostSize)));
    if (scan.normalize.kind == Normalize::Kind::Window && !(scan.normalize.low < scan.normalize.high)) {
        return Error{fmt::format("input: the window's low value {} must lie below its high value {}",
                                 scan.normalize.low, scan.normalize.high)};
    }
    return Shape{channelsOf(scan), patch[0], patch[1], patch[2]};
}

Result<Shape> syntheticShape(const SyntheticInput& input) {
    if (input.shape.size() < 2 || input.shape.size() > 4) {
        return Error{
            fmt::format("input: a synthetic shape has 2 to 4 numbers ([C, L], [C, H, W] or "
                        "[C, D, H, W]), not {}",
                        input.shape.size())};
    }
    for (const std::int64_t size : input.shape) {
        if (auto error = outside("input: each size", size, 1, kMostSize)) {
            return *error;
        }
    }
    return input.shape;
}

}  // namespace

Result<Shape> inputShape(const Experiment& e) {
    const auto* scan = std::get_if<ScanInput>(&e.input);
    auto shape = HIGHWATER_TRY(scan ? scanShape(*scan) : syntheticShape(std::get<SyntheticInput>(e.input)));
    if (auto error = outside("step: batch_size", e.step.batchSize, 1, kMostSize)) {
        return *error;
    }
    shape.insert(shape.begin(), e.step.batchSize);
    HIGHWATER_TRY(tensorBytes(shape, 4, "input: a batch"));
    return shape;
}

bool isCohort(const Experiment& e) {
    const auto* const scan = std::get_if<ScanInput>(&e.input);
    return scan != nullptr && !scan->cohort.empty();
}

std::int64_t channelsOf(const ScanInput& scan) {
    return scan.cohort.empty() ? static_cast<std::int64_t>(scan.scans.size()) : scan.channels;
}

Sizes patchOf(const Experiment& e) {
    if (const auto* scan = std::get_if<ScanInput>(&e.input)) {
        return scan->patch.size() == 1 ? Sizes(3, scan->patch[0]) : scan->patch;
    }
    const Shape& shape = std::get<SyntheticInput>(e.input).shape;
    return shape.empty() ? Sizes() : Sizes(shape.begin() + 1, shape.end());
}

void setPatch(Experiment& e, const Sizes& patch) {
    if (auto* scan = std::get_if<ScanInput>(&e.input)) {
        scan->patch = patch;
        return;
    }
    Shape& shape = std::get<SyntheticInput>(e.input).shape;
    shape.resize(1, 1);
    shape.insert(shape.end(), patch.begin(), patch.end());
}

ScanInput asScanInput(const Experiment& e) {
    if (const auto* scan = std::get_if<ScanInput>(&e.input)) {
        return *scan;
    }
    ScanInput made;
    if (const Sizes patch = patchOf(e); patch.size() == 3) {
        made.patch = patch;
    }
    return made;
}

Shape withSizesOf(Shape shape, const Shape& like) {
    std::copy(like.begin() + 2, like.end(), shape.end() - (like.end() - like.begin() - 2));
    return shape;
}

Result<StackInfo> inferShapes(const Experiment& e) {
    auto input = HIGHWATER_TRY(inputShape(e));
    if (e.stack.empty()) {
        return Error{"the stack is empty; add a layer"};
    }
    LayerNames names;
    if (auto error = names.collect(e.stack, 0)) {
        return *error;
    }
    StackInfo info;
    info.data = input;
    info.input = std::move(input);
    if (e.windows) {
        const auto grid = HIGHWATER_TRY(windowGrid(*e.windows, info.data));
        std::copy(grid.size.begin(), grid.size.end(), info.input.begin() + 2);
    }
    Walk walk(e, names, info);
    if (auto error = walk.run(e.stack, {}, "", -1)) {
        return *error;
    }
    info.output = walk.output();
    if (auto error = checkLoss(e, info)) {
        return *error;
    }
    if (auto error = checkWindows(e, info)) {
        return *error;
    }
    if (auto error = checkSettings(e)) {
        return *error;
    }
    if (auto error = checkAugmentations(e, info)) {
        return *error;
    }
    if (e.step.train && info.parameters == 0) {
        return Error{
            "the stack has nothing to train; add a layer with parameters, such as conv, or set train "
            "to false"};
    }
    info.targetClasses = wantsClasses(e.loss) ? info.output[1] : 0;
    info.targetChannels = comparesProbabilities(e.loss) ? info.output[1] : 1;
    return info;
}

}  // namespace highwater::stack
