#include "widgets/timeline/stack_groups.h"

#include <fmt/format.h>

#include <QObject>
#include <algorithm>
#include <unordered_map>

namespace highwater::widgets {

namespace {

/// Names groups; blocks with the same key form one group.
class Namer {
public:
    Namer(const memory::CallStacks* stacks, std::span<const std::string> labels, Grouping grouping)
        : stacks_(stacks), labels_(labels), grouping_(grouping) {}

    std::string nameOf(const HeldBytes& held) const {
        if (const memory::StackFrame* best = stacks_ ? stacks_->bestOf(held.stack) : nullptr) {
            switch (grouping_) {
                case Grouping::Function:
                    return best->file.empty()
                               ? best->function
                               : fmt::format("{} · {}", best->function, pathEnd(best->file, 2));
                case Grouping::Module:
                    return moduleOf(best->file);
                case Grouping::Place:
                case Grouping::Stack:
                    return frameText(*best);
            }
        }
        const bool labeled = held.label >= 0 && static_cast<std::size_t>(held.label) < labels_.size();
        return labeled ? labels_[static_cast<std::size_t>(held.label)]
               : held.label == HeldBytes::kBefore
                   ? QObject::tr("before the recording, unknown code").toStdString()
                   : QObject::tr("unknown code").toStdString();
    }

    std::string keyOf(const HeldBytes& held) const {
        if (grouping_ != Grouping::Stack || !stacks_ || !stacks_->has(held.stack)) {
            return nameOf(held);
        }
        std::string key;
        for (const std::uint32_t frame : stacks_->framesOf(held.stack)) {
            key += frameText(stacks_->frames[frame]) + '\n';
        }
        return key;
    }

private:
    const memory::CallStacks* stacks_;
    std::span<const std::string> labels_;
    Grouping grouping_;
};

using Groups = std::unordered_map<std::string, StackGroup>;

Groups collected(const Namer& namer, std::span<const HeldBytes> held) {
    Groups groups;
    std::unordered_map<std::string, base::Bytes> largest;
    for (const HeldBytes& each : held) {
        const std::string key = namer.keyOf(each);
        StackGroup& group = groups[key];
        base::Bytes& most = largest.try_emplace(key, -1).first->second;
        if (each.bytes > most) {
            most = each.bytes;
            group.name = namer.nameOf(each);
            group.stack = each.stack;
        }
        group.bytes += each.bytes;
        group.blocks += each.blocks;
    }
    return groups;
}

Groups collected(const TraceIndex& index, std::size_t state, Grouping grouping) {
    const memory::Trace& trace = index.trace();
    return collected(Namer(trace.stacks.get(), trace.labels, grouping), heldAt(index, state));
}

base::Bytes size(base::Bytes bytes) {
    return bytes < 0 ? -bytes : bytes;
}

}  // namespace

std::vector<HeldBytes> heldAt(const TraceIndex& index, std::size_t state) {
    const memory::Trace& trace = index.trace();
    const std::size_t stacks = trace.stacks ? trace.stacks->stacks.size() : 0;
    // By stack; without a stack by label; then blocks with neither, new and old ones separately.
    std::vector<HeldBytes> held(stacks + trace.labels.size() + 2);
    for (std::uint32_t block = 0; block < index.blocks(); ++block) {
        const BlockLife& life = index.life(block);
        if (life.begin > state || state >= life.end) {
            continue;
        }
        const memory::TraceBlock& each = trace.blocks[block];
        const std::size_t place = each.stack >= 0   ? static_cast<std::size_t>(each.stack)
                                  : each.label >= 0 ? stacks + static_cast<std::size_t>(each.label)
                                  : life.begin > 0  ? held.size() - 2
                                                    : held.size() - 1;
        held[place].stack = each.stack;
        held[place].label = place + 1 < held.size() ? each.label : HeldBytes::kBefore;
        held[place].bytes += each.bytes;
        ++held[place].blocks;
    }
    std::erase_if(held, [](const HeldBytes& each) { return each.blocks == 0; });
    return held;
}

std::vector<StackGroup> groupsOf(const memory::CallStacks* stacks, std::span<const std::string> labels,
                                 std::span<const HeldBytes> held, Grouping grouping) {
    std::vector<StackGroup> groups;
    for (auto& each : collected(Namer(stacks, labels, grouping), held)) {
        groups.push_back(std::move(each.second));
    }
    std::ranges::sort(groups, [](const StackGroup& a, const StackGroup& b) {
        return std::tie(b.bytes, a.name, a.stack) < std::tie(a.bytes, b.name, b.stack);
    });
    return groups;
}

std::vector<GroupDifference> groupsAt(const TraceIndex& index, std::size_t state, Grouping grouping) {
    const memory::Trace& trace = index.trace();
    std::vector<GroupDifference> rows;
    for (StackGroup& group : groupsOf(trace.stacks.get(), trace.labels, heldAt(index, state), grouping)) {
        rows.push_back({std::move(group), {}});
    }
    return rows;
}

std::vector<GroupDifference> compareGroups(const TraceIndex& index, std::size_t state,
                                           const TraceIndex& other, std::size_t otherState,
                                           Grouping grouping) {
    std::unordered_map<std::string, GroupDifference> byKey;
    for (auto& [key, group] : collected(index, state, grouping)) {
        byKey[key].here = std::move(group);
    }
    for (auto& [key, group] : collected(other, otherState, grouping)) {
        byKey[key].other = std::move(group);
    }
    std::vector<GroupDifference> rows;
    for (auto& each : byKey) {
        rows.push_back(std::move(each.second));
    }
    std::ranges::sort(rows, [](const GroupDifference& a, const GroupDifference& b) {
        const auto rank = [](const GroupDifference& row) {
            return std::pair(-size(row.difference()), -row.here.bytes);
        };
        return rank(a) != rank(b) ? rank(a) < rank(b) : a.name() < b.name();
    });
    return rows;
}

std::string pathEnd(std::string_view file, int names) {
    std::size_t at = file.size();
    for (; names > 0 && at > 0 && at != std::string_view::npos; --names) {
        at = file.find_last_of("/\\", at - 1);
        if (at == std::string_view::npos) {
            break;
        }
    }
    std::string end(at == std::string_view::npos || at >= file.size() ? file : file.substr(at + 1));
    std::ranges::replace(end, '\\', '/');
    return end;
}

std::string moduleOf(std::string_view file) {
    std::string path(file);
    std::ranges::replace(path, '\\', '/');
    if (!path.ends_with(".py")) {
        return pathEnd(path, 2);
    }
    for (const std::string_view packages : {"/site-packages/", "/dist-packages/"}) {
        if (const auto at = path.rfind(packages); at != std::string::npos) {
            std::string module = path.substr(at + packages.size());
            module.resize(module.size() - 3);
            if (module.ends_with("/__init__")) {
                module.resize(module.size() - 9);
            }
            std::ranges::replace(module, '/', '.');
            return module;
        }
    }
    return pathEnd(path, 2);
}

std::string frameText(const memory::StackFrame& frame) {
    if (frame.file.empty() || frame.file == "??") {
        return frame.function;
    }
    const std::string file = pathEnd(frame.file, 2);
    return frame.line > 0 ? fmt::format("{}:{} {}", file, frame.line, frame.function)
                          : fmt::format("{} {}", file, frame.function);
}

}  // namespace highwater::widgets
