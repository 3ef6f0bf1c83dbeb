#include <algorithm>
#include <map>
#include <span>

#include "core/base/text.h"
#include "core/layers/limits.h"
#include "core/stack/pytorch/network.h"

namespace highwater::stack::pytorch {

namespace {

using Part = std::span<const Entry* const>;

constexpr std::size_t kDeepest = 30;  // maximum nesting depth of blocks

const std::string* keyOf(const Entry& entry, std::size_t depth) {
    return depth < std::min(entry.scopes.size(), kDeepest) ? &entry.scopes[depth].key : nullptr;
}

/// How many entries at the beginning have the same module at this depth; 0 if none.
std::size_t together(Part entries, std::size_t depth) {
    const std::string* first = keyOf(*entries.front(), depth);
    std::size_t count = 1;
    for (; count < entries.size(); ++count) {
        const std::string* key = keyOf(*entries[count], depth);
        if (!key != !first || (key && *key != *first)) {
            break;
        }
    }
    return count;
}

bool isCheckpoint(const Scope& scope) {
    return scope.kind == kCheckpoint;
}

const Scope* checkpointOf(const Entry& entry) {
    const auto found = std::find_if(entry.scopes.begin(), entry.scopes.end(), isCheckpoint);
    return found == entry.scopes.end() ? nullptr : &*found;
}

/// Whether a checkpoint begins at this depth or deeper.
bool isCheckpointed(const Entry& entry, std::size_t depth) {
    return depth < entry.scopes.size() &&
           std::any_of(entry.scopes.begin() + static_cast<std::ptrdiff_t>(depth), entry.scopes.end(),
                       isCheckpoint);
}

base::Json nest(Part entries, std::size_t depth, const std::string& outer);

/// A module that is the only content of another forms one block with it.
base::Json block(Part entries, std::size_t depth, const std::string& outer) {
    const Scopes& scopes = entries.front()->scopes;
    bool checkpoint = isCheckpoint(scopes[depth]);
    while (together(entries, depth + 1) == entries.size() && keyOf(*entries.front(), depth + 1)) {
        checkpoint = isCheckpoint(scopes[++depth]) || checkpoint;
    }
    const std::string& name = scopes[depth].name;
    const bool inside = !outer.empty() && name.starts_with(outer + ".");
    base::Json made{{"type", "block"},
                    {"name", base::oneLine(inside ? name.substr(outer.size() + 1) : name, kLongestText)}};
    if (checkpoint) {
        made["checkpoint"] = true;
    }
    made["layers"] = nest(entries, depth + 1, name);
    return made;
}

/// `depth`: how many of the enclosing modules are blocks already (the network itself is not one).
base::Json nest(Part entries, std::size_t depth, const std::string& outer) {
    base::Json layers = base::Json::array();
    while (!entries.empty()) {
        const Part inside = entries.first(together(entries, depth));
        if (keyOf(*inside.front(), depth) && (inside.size() > 1 || isCheckpointed(*inside.front(), depth))) {
            layers.push_back(block(inside, depth, outer));
        } else {
            for (const Entry* entry : inside) {
                layers.push_back(entry->layer);
            }
        }
        entries = entries.subspan(inside.size());
    }
    return layers;
}

}  // namespace

std::size_t dropTornCheckpoints(Entries& entries) {
    std::map<std::string, int> parts;
    const std::string* before = nullptr;
    for (const Entry& entry : entries) {
        const Scope* const scope = checkpointOf(entry);
        if (scope && (!before || *before != scope->key)) {
            ++parts[scope->key];
        }
        before = scope ? &scope->key : nullptr;
    }
    for (Entry& entry : entries) {
        if (const Scope* const scope = checkpointOf(entry); scope && parts[scope->key] > 1) {
            std::erase_if(entry.scopes, isCheckpoint);
        }
    }
    return static_cast<std::size_t>(
        std::count_if(parts.begin(), parts.end(), [](const auto& part) { return part.second > 1; }));
}

base::Json nestBlocks(const Entries& entries) {
    std::vector<const Entry*> all;
    for (const Entry& entry : entries) {
        all.push_back(&entry);
    }
    return nest(all, 1, "");
}

}  // namespace highwater::stack::pytorch
