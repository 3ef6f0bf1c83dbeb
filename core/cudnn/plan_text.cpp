#include "core/cudnn/plan_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/base/text.h"

namespace highwater::cudnn {
namespace {

std::string_view takeUntil(std::string_view& text, char end) {
    const std::string_view part = text.substr(0, text.find(end));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    return part;
}

std::optional<Plan> parsePlan(std::string_view text) {
    Plan plan;
    const std::string_view engine = takeUntil(text, ':'), bytes = takeUntil(text, ':'),
                           which = takeUntil(text, ':');
    if (!base::readNumber(engine, plan.engine) || !base::readNumber(bytes, plan.workspace) ||
        plan.workspace < 0 || (which != "h" && which != "f")) {
        return std::nullopt;
    }
    plan.fallback = which == "f";
    while (!text.empty()) {
        int note = 0;
        if (!base::readNumber(takeUntil(text, ','), note)) {
            return std::nullopt;
        }
        plan.notes.push_back(static_cast<api::Note>(note));
    }
    return plan;
}

}  // namespace

std::string planText(std::span<const Plan> plans) {
    std::string text;
    for (const Plan& plan : plans) {
        std::vector<int> notes;
        for (const api::Note note : plan.notes) {
            notes.push_back(static_cast<int>(note));
        }
        fmt::format_to(std::back_inserter(text), "{}{}:{}:{}:{}", text.empty() ? "" : " ", plan.engine,
                       plan.workspace, plan.fallback ? "f" : "h", fmt::join(notes, ","));
    }
    return text;
}

std::optional<std::vector<Plan>> parsePlans(std::string_view text) {
    std::vector<Plan> plans;
    while (!text.empty()) {
        auto plan = parsePlan(takeUntil(text, ' '));
        if (!plan) {
            return std::nullopt;
        }
        plans.push_back(std::move(*plan));
    }
    return plans;
}

}  // namespace highwater::cudnn
