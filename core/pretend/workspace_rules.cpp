#include "core/pretend/workspace_rules.h"

#include <cmath>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "core/pretend/settings.h"

namespace highwater::pretend {
namespace {

std::vector<std::string> split(std::string_view text, char at) {
    std::vector<std::string> parts;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(at, begin), text.size());
        parts.emplace_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

std::optional<double> number(const std::string& text) {
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    const bool good = !text.empty() && !*end && std::isfinite(value) && value >= 0;
    return good ? std::optional(value) : std::nullopt;
}

std::optional<double> factor(const std::string& text, const OperandBytes& operands) {
    if (text == "x") {
        return operands.x;
    }
    if (text == "w") {
        return operands.w;
    }
    return text == "y" ? std::optional(operands.y) : number(text);
}

std::optional<std::uint64_t> evaluate(const std::string& rule, const OperandBytes& operands) {
    constexpr double kMost = 1e18;
    double sum = 0;
    for (const std::string& term : split(rule, '+')) {
        double product = 1;
        for (const std::string& one : split(term, '*')) {
            const auto value = factor(one, operands);
            if (!value) {
                return std::nullopt;
            }
            product *= *value;
        }
        sum += product;
    }
    return sum <= kMost ? std::optional(static_cast<std::uint64_t>(sum)) : std::nullopt;
}

}  // namespace

std::vector<std::uint64_t> workspaces(const std::string& rules, const std::string& name,
                                      const OperandBytes& operands) {
    std::vector<std::uint64_t> found;
    for (const std::string& rule : split(rules, ',')) {
        if (!rule.starts_with(name + "=")) {
            continue;
        }
        for (const std::string& engine : split(rule.substr(name.size() + 1), '|')) {
            const auto bytes = evaluate(engine, operands);
            if (!bytes) {
                sayOnce("HIGHWATER_PRETEND_WORKSPACE: \"" + engine + "\" of \"" + rule +
                        "\" is not a sum such as 2*x+1024; 0 is used");
            }
            found.push_back(bytes.value_or(0));
        }
    }
    return found.empty() ? std::vector<std::uint64_t>{0} : found;
}

std::vector<std::uint64_t> workspaces(const std::string& name, const OperandBytes& operands) {
    return workspaces(settings().workspace, name, operands);
}

}  // namespace highwater::pretend
