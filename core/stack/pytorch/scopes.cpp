#include <algorithm>

#include "core/stack/pytorch/graph.h"

namespace highwater::stack::pytorch {

namespace {

/// Splits "key,path,class" at its commas, except those in brackets.
std::vector<std::string> splitScope(std::string_view text) {
    std::vector<std::string> parts(1);
    int nested = 0;
    for (const char c : text) {
        nested += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
        if (c == ',' && nested == 0) {
            parts.emplace_back();
        } else {
            parts.back() += c;
        }
    }
    return parts;
}

std::string moduleName(std::string name) {
    for (const std::string_view self : {"L['self'].", "L['self']"}) {
        for (auto at = name.find(self); at != std::string::npos; at = name.find(self)) {
            name.erase(at, self.size());
        }
    }
    return name;
}

}  // namespace

Scopes readScopes(std::string_view text) {
    Scopes scopes;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(';'), text.size());
        std::vector<std::string> parts = splitScope(text.substr(0, end));
        if (parts.size() == 3) {
            scopes.push_back({std::move(parts[0]), moduleName(std::move(parts[1])), std::move(parts[2])});
        }
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return scopes;
}

std::string operatorName(std::string_view target) {
    constexpr std::string_view prefix = "torch.ops.";
    if (!target.starts_with(prefix)) {
        return std::string(target.substr(target.rfind('.') + 1));
    }
    target.remove_prefix(prefix.size());
    target.remove_prefix(std::min(target.find('.') + 1, target.size()));
    return std::string(target.substr(0, target.find('.')));
}

}  // namespace highwater::stack::pytorch
