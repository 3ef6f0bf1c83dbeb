#include "tests/gpu/public/public_misses.h"

#include <fmt/format.h>

#include <algorithm>

namespace highwater::truth {

std::string missList(const std::vector<std::pair<std::string, std::string>>& misses) {
    using Group = std::pair<std::string, std::vector<std::string>>;
    std::vector<Group> groups;
    Group unexplained;
    for (const auto& [what, why] : misses) {
        if (why.empty()) {
            unexplained.second.push_back(what);
            continue;
        }
        auto group =
            std::find_if(groups.begin(), groups.end(), [&](const Group& each) { return each.first == why; });
        if (group == groups.end()) {
            group = groups.insert(groups.end(), Group{why, {}});
        }
        group->second.push_back(what);
    }
    std::string text;
    for (const auto& [why, whats] : groups) {
        text += fmt::format("- {}: {}\n", fmt::join(whats, ", "), why);
    }
    if (!unexplained.second.empty()) {
        text += fmt::format("- **Not understood:** {}.\n", fmt::join(unexplained.second, ", "));
    }
    return text.empty() ? "None.\n" : text;
}

}  // namespace highwater::truth
