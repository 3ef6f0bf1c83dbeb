#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "core/base/text.h"
#include "core/stack/settings.h"

namespace highwater::stack {

namespace {

using base::Error;

struct Rule {
    std::string_view name;
    double most = 0;             ///< maximum amount; 0: it has none
    std::string_view unit = "";  ///< unit of the amount
    std::size_t axesLeast = 1;   ///< minimum number of spatial axes with more than one voxel
};

constexpr Rule kRules[] = {
    {"flip"},
    {"rotate90", 0, "", 2},
    {"rotate", 180, "degrees", 2},
    {"scale", 0.9, "a fraction"},
    {"noise", 360, "a standard deviation of normalized values"},
    {"blur", 16, "a standard deviation in voxels"},
    {"brightness", 1, "a fraction"},
    {"gamma", 0.9, "a fraction"},
};

bool hasSquare(Shape sides) {
    std::sort(sides.begin(), sides.end());
    return std::adjacent_find(sides.begin(), sides.end()) != sides.end();
}

std::string problem(const Augmentation& a, const Rule& rule, const StackInfo& info) {
    if (!(a.p >= 0 && a.p <= 1)) {
        return fmt::format("p must be from 0 to 1, not {:g}", a.p);
    }
    if (rule.most == 0 && a.amount != 0) {
        return fmt::format("{} has no amount; remove it", rule.name);
    }
    if (rule.most > 0 && !(a.amount >= 0 && a.amount <= rule.most)) {
        return fmt::format("{}'s amount must be from 0 to {:g} ({}; 0 is the default), not {:g}", rule.name,
                           rule.most, rule.unit, a.amount);
    }
    Shape sides(info.data.begin() + 2, info.data.end());
    std::erase(sides, 1);
    if (sides.size() < rule.axesLeast) {
        return fmt::format("{} needs two spatial axes of more than one voxel; the data has {}", rule.name,
                           sides.size());
    }
    if (a.kind == Augmentation::Kind::Rotate90 && !hasSquare(sides)) {
        return fmt::format("rotate90 needs two sides of equal length; the data has {}",
                           base::formatShape(std::span(info.data).subspan(2)));
    }
    return {};
}

}  // namespace

std::optional<Error> checkAugmentations(const Experiment& e, const StackInfo& info) {
    for (std::size_t i = 0; i < e.data.augment.size(); ++i) {
        const Augmentation& a = e.data.augment[i];
        const std::string why = problem(a, kRules[static_cast<std::size_t>(a.kind)], info);
        if (!why.empty()) {
            return Error{fmt::format("/data/augment/{}: {}", i, why)};
        }
    }
    return std::nullopt;
}

}  // namespace highwater::stack
