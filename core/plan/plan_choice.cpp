#include "core/plan/plan_choice.h"

#include <algorithm>

namespace highwater::plan {

std::size_t insertPlan(PlanCurve& curve, Plan plan, const predict::Target& target) {
    const auto asGood = [&](const Plan& one, const Plan& other) {
        return counted(one.fit, target) <= counted(other.fit, target) &&
               one.fit.stepMs.expected <= other.fit.stepMs.expected;
    };
    const auto better =
        std::ranges::find_if(curve.plans, [&](const Plan& other) { return asGood(other, plan); });
    if (better != curve.plans.end()) {
        return static_cast<std::size_t>(better - curve.plans.begin());
    }
    std::erase_if(curve.plans, [&](const Plan& other) { return asGood(plan, other); });
    const auto place = std::ranges::find_if(curve.plans, [&](const Plan& other) {
        return counted(other.fit, target) > counted(plan.fit, target);
    });
    const auto at = curve.plans.insert(place, std::move(plan));
    return static_cast<std::size_t>(at - curve.plans.begin());
}

std::size_t bestPlan(const PlanCurve& curve, const predict::Target& target, Budget budget) {
    for (std::size_t i = curve.plans.size(); i-- > 0;) {
        if (isWithin(curve.plans[i], target, budget)) {
            return i;
        }
    }
    return 0;
}

}  // namespace highwater::plan
