#include <span>

#include "core/base/text.h"
#include "core/stack/limits.h"
#include "core/stack/pytorch/network.h"

namespace highwater::stack::pytorch {

namespace {

using Part = std::span<const Entry* const>;

constexpr std::size_t kDeepest = 30;  // blocks in each other

const std::string* keyOf(const Entry& entry, std::size_t depth) {
    return depth < std::min(entry.scopes.size(), kDeepest) ? &entry.scopes[depth].key : nullptr;
}

/// How many entries at the beginning have the same module at this depth, or none.
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

base::Json nest(Part entries, std::size_t depth, const std::string& outer);

/// A module that is all of another makes one block with it.
base::Json block(Part entries, std::size_t depth, const std::string& outer) {
    while (together(entries, depth + 1) == entries.size() && keyOf(*entries.front(), depth + 1)) {
        ++depth;
    }
    const std::string& name = entries.front()->scopes[depth].name;
    const bool inside = !outer.empty() && name.starts_with(outer + ".");
    return {{"type", "block"},
            {"name", base::oneLine(inside ? name.substr(outer.size() + 1) : name, kLongestText)},
            {"layers", nest(entries, depth + 1, name)}};
}

/// `depth`: how many of the modules around these layers are blocks already (the network itself is none).
base::Json nest(Part entries, std::size_t depth, const std::string& outer) {
    base::Json layers = base::Json::array();
    while (!entries.empty()) {
        const Part inside = entries.first(together(entries, depth));
        if (inside.size() > 1 && keyOf(*inside.front(), depth)) {
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

base::Json nestBlocks(const Entries& entries) {
    std::vector<const Entry*> all;
    for (const Entry& entry : entries) {
        all.push_back(&entry);
    }
    return nest(all, 1, "");
}

}  // namespace highwater::stack::pytorch
