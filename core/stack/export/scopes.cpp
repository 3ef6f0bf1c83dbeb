#include "core/stack/export/scopes.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/stack/storages.h"

namespace highwater::stack::python {

namespace {

bool contains(const std::vector<int>& values, int value) {
    return std::find(values.begin(), values.end(), value) != values.end();
}

}  // namespace

Plan::Plan(const Experiment& experiment, const StackInfo& info, const Program& program)
    : experiment_(experiment), info_(info), program_(program), runs_(program.steps.size(), 1) {
    findBlocks();
    int steps = 0, path = -1;
    findIds(experiment.stack, steps, path);
    addScope(program.segments, Scope{-1, "forward", {-1}, program.outputs, {}}, 0);
    nameModules();
    nameValues();
}

void Plan::findBlocks() {
    for (int layer = 0; layer < static_cast<int>(info_.layers.size()); ++layer) {
        if (info_.layers[static_cast<std::size_t>(layer)].type != "block") {
            continue;
        }
        BlockRange range{layer, -1, -1};
        for (int step = 0; step < static_cast<int>(program_.steps.size()); ++step) {
            int around = program_.steps[static_cast<std::size_t>(step)].layer;
            while (around >= 0 && around != layer) {
                around = info_.layers[static_cast<std::size_t>(around)].block;
            }
            if (around < 0) {
                continue;
            }
            range.first = range.first < 0 ? step : range.first;
            range.last = step + 1;
        }
        if (range.first >= 0) {
            blocks_.push_back(range);
        }
    }
}

/// Finds the value that each id names; values are numbered as in makeProgram.
void Plan::findIds(const std::vector<Layer>& layers, int& steps, int& path) {
    for (const Layer& layer : layers) {
        if (const auto* const block = std::get_if<Block>(&layer.op)) {
            findIds(block->layers, steps, path);
        } else if (const auto* const merge = std::get_if<Merge>(&layer.op);
                   merge != nullptr && merge->kind == Merge::Kind::Branch) {
            path = named_.at(merge->with.front());
        } else {
            path = std::holds_alternative<Head>(layer.op) ? path : steps;
            ++steps;
        }
        if (layer.id.empty()) {
            continue;
        }
        named_[layer.id] = path;
        ids_.emplace(path, layer.id);
    }
}

// --- items

void Plan::addScope(const std::vector<Segment>& segments, Scope scope, int depth) {
    scope.items = itemsOf(segments, depth);
    scopes_.push_back(std::move(scope));
}

std::vector<Item> Plan::itemsOf(const std::vector<Segment>& segments, int depth) {
    std::vector<Item> items;
    for (const Segment& segment : segments) {
        if (segment.checkpoint) {
            items.push_back(checkpointed(segment, depth));
        } else {
            addPlain(segment, depth, items);
        }
    }
    return items;
}

void Plan::addPlain(const Segment& segment, int depth, std::vector<Item>& items) {
    for (int step = segment.first; step < segment.last; ++step) {
        runs_[static_cast<std::size_t>(step)] = depth + 1;
        if (const BlockRange* const chain = chainAt(step, segment.last)) {
            for (int each = step; each < chain->last; ++each) {
                runs_[static_cast<std::size_t>(each)] = depth + 1;
            }
            items.push_back(sequenceItem(*chain));
            items.back().offload = segment.offload;
            step = chain->last - 1;
            continue;
        }
        items.push_back(stepItem(step));
        items.back().offload = segment.offload;
        for (const BlockRange& block : blocks_) {
            if (block.first == step && items.back().comment.empty()) {
                items.back().comment = info_.layers[static_cast<std::size_t>(block.layer)].name;
            }
        }
    }
}

Item Plan::stepItem(int i) const {
    const ProgramStep& step = program_.steps[static_cast<std::size_t>(i)];
    Item item;
    item.first = i;
    item.last = i + 1;
    item.reads = {step.from};
    item.reads.insert(item.reads.end(), step.with.begin(), step.with.end());
    item.writes = {i};
    item.path = std::holds_alternative<Head>(*step.op) ? Item::kSame : i;
    item.clones = clones_.contains(i);
    return item;
}

Item Plan::sequenceItem(const BlockRange& block) {
    Item item = stepItem(block.first);
    item.kind = Item::Kind::Sequence;
    item.last = block.last;
    item.writes = {block.last - 1};
    item.path = block.last - 1;
    sequences_[block.first] = block.last;
    modules_[block.first] = names_.give(layerName(block.layer), "block");
    return item;
}

Item Plan::checkpointed(const Segment& segment, int depth) {
    const std::set<int> inPlace = inPlaceOnImports(segment);
    const auto same = std::find_if(blocks_.begin(), blocks_.end(), [&](const BlockRange& block) {
        return block.first == segment.first && block.last == segment.last;
    });
    Item item;
    if (same != blocks_.end() && inPlace.empty() && segment.inner.size() == 1 &&
        !segment.inner.front().checkpoint && isChain(segment.first, segment.last)) {
        item = sequenceItem(*same);
        for (int step = segment.first; step < segment.last; ++step) {
            runs_[static_cast<std::size_t>(step)] = depth + 2;
        }
    } else {
        clones_.insert(inPlace.begin(), inPlace.end());
        const std::string wanted =
            same != blocks_.end() ? layerName(same->layer) : fmt::format("segment{}", ++segments_);
        item.method = names_.give(wanted, "segment");
        Scope scope{segment.first, item.method, segment.imports, segment.exports, {}};
        const int from = program_.steps[static_cast<std::size_t>(segment.first)].from;
        std::stable_partition(scope.params.begin(), scope.params.end(), [&](int v) { return v == from; });
        item.kind = Item::Kind::Method;
        item.first = segment.first;
        item.last = segment.last;
        item.reads = scope.params;
        item.writes = segment.exports;
        for (int step = segment.last - 1; step >= segment.first && item.path == Item::kSame; --step) {
            if (!std::holds_alternative<Head>(*program_.steps[static_cast<std::size_t>(step)].op)) {
                item.path = step;
            }
        }
        if (!contains(item.writes, item.path)) {
            item.path = Item::kSame;
        }
        addScope(segment.inner, std::move(scope), depth + 1);
    }
    item.checkpoint = true;
    item.drawsRandomly = segment.drawsRandomly;
    return item;
}

/// Whether a step's module is called by another step as well.
bool Plan::isShared(int step) const {
    return std::any_of(program_.steps.begin(), program_.steps.end(), [&](const ProgramStep& other) {
        const auto at = static_cast<int>(&other - program_.steps.data());
        return at == step ? other.owner != step : other.owner == step;
    });
}

/// Whether the steps form a chain: each value except the last is read only by the next step.
bool Plan::isChain(int first, int last) const {
    for (int i = first; i < last; ++i) {
        const ProgramStep& step = program_.steps[static_cast<std::size_t>(i)];
        const std::vector<int>& readers = program_.readers[static_cast<std::size_t>(i + 1)];
        if (!step.with.empty() || std::holds_alternative<Head>(*step.op) || isShared(i) ||
            (i > first && step.from != i - 1)) {
            return false;
        }
        if (i + 1 < last && (readers != std::vector<int>{i + 1} || program_.isOutput(i))) {
            return false;
        }
    }
    return true;
}

/// Returns the outermost block that begins here, is a chain and ends before `end`.
const BlockRange* Plan::chainAt(int step, int end) const {
    for (const BlockRange& block : blocks_) {
        const bool clones = std::any_of(clones_.begin(), clones_.end(),
                                        [&](int i) { return i >= block.first && i < block.last; });
        if (block.first == step && block.last <= end && !clones && isChain(block.first, block.last)) {
            return &block;
        }
    }
    return nullptr;
}

/// Steps that would overwrite a value that the segment is recomputed from.
std::set<int> Plan::inPlaceOnImports(const Segment& segment) const {
    std::set<int> found, imported(segment.imports.begin(), segment.imports.end());
    for (int i = segment.first; i < segment.last; ++i) {
        const ProgramStep& step = program_.steps[static_cast<std::size_t>(i)];
        if (!imported.contains(step.from)) {
            continue;
        }
        if (worksInPlace(*step.op)) {
            found.insert(i);
        } else if (passesThrough(*step.op, experiment_.step.train)) {
            imported.insert(i);
        }
    }
    return found;
}

// --- names

std::string Plan::layerName(int layer) const {
    std::string name = info_.layers[static_cast<std::size_t>(layer)].name, out;
    for (const std::string_view separator = " · ";;) {
        const std::size_t end = std::min(name.find(separator), name.size());
        std::string part = name.substr(0, end);
        // "5 conv" becomes conv5.
        const std::size_t space = part.find(' ');
        if (space != std::string::npos && space > 0 && part.find_first_not_of("0123456789") == space) {
            part = part.substr(space + 1) + part.substr(0, space);
        }
        out += (out.empty() ? "" : "_") + part;
        if (end == name.size()) {
            return out;
        }
        name.erase(0, end + separator.size());
    }
}

void Plan::nameModules() {
    for (int i = 0; i < static_cast<int>(program_.steps.size()); ++i) {
        const auto sequence = sequences_.find(i);
        if (sequence != sequences_.end()) {
            i = sequence->second - 1;
            continue;
        }
        const ProgramStep& step = program_.steps[static_cast<std::size_t>(i)];
        if (step.owner != i) {
            modules_[i] = modules_.at(step.owner);
        } else if (!std::holds_alternative<Merge>(*step.op)) {
            modules_[i] = names_.give(layerName(step.layer), "layer");
        }
    }
}

void Plan::nameValues() {
    Names names;
    int heads = 0;
    for (int value = -1; value < static_cast<int>(program_.steps.size()); ++value) {
        const auto id = ids_.find(value);
        const bool head =
            value >= 0 && std::holds_alternative<Head>(*program_.steps[static_cast<std::size_t>(value)].op);
        const std::string standard = value < 0 ? "inputs"
                                     : head    ? fmt::format("head{}", ++heads)
                                               : fmt::format("value{}", value + 1);
        values_[value] = names.give(id == ids_.end() ? "" : id->second, standard);
    }
}

}  // namespace highwater::stack::python
