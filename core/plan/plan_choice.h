#pragma once

#include <cstddef>

#include "core/plan/make_fit.h"

namespace highwater::plan {

/// Inserts a plan into a curve at its position, and removes those that it beats. Returns its index, or that
/// of a plan that is at least as good in both respects.
std::size_t insertPlan(PlanCurve& curve, Plan plan, const predict::Target& target);
/// The default plan: the fastest within the budget, or else the one with the least memory.
std::size_t bestPlan(const PlanCurve& curve, const predict::Target& target, Budget budget);

}  // namespace highwater::plan
