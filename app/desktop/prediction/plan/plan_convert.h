#pragma once

#include "app/desktop/prediction/plan/plan_values.h"
#include "core/plan/make_fit.h"
#include "widgets/plot/forecast.h"

/// Converts plans to the values that widgets take.
namespace highwater::desktop {

/// What plans are made for.
struct PlanAim {
    QString device;               ///< on screen: "RTX 3060 12 GB", "this CPU"
    predict::Target target = {};  ///< for the unchanged experiment
    plan::Budget budget = {};     ///< as plan::planUnder takes it
    base::Bytes capacity = 0;     ///< what the device leaves to a run; 0: not known
};

/// "this CPU", "an RTX 3060 12 GB", "a T4 16 GB".
QString onDevice(const QString& device);
/// The bytes that are the limit: the budget, else the capacity; 0 if neither is known.
base::Bytes limitOf(const PlanAim& aim);
/// What the line of that limit is called: "budget", else the device.
QString limitName(const PlanAim& aim);
/// Whether a plan is within the budget, as plan::planUnder judges.
bool isWithin(const plan::Plan& plan, const PlanAim& aim);

/// Adds a plan to those of a curve where it belongs, and takes out those that it beats. Returns its place, or
/// that of the plan that is at least as good in both.
int insertPlan(plan::PlanCurve& curve, plan::Plan plan, const predict::Target& target);
/// The plan to begin with: the fastest within the budget, else the one of the least memory.
int bestPlan(const plan::PlanCurve& curve, const PlanAim& aim);

/// A plan in words and figures, without its layers. `noneFits`: no plan is within the budget, and this is the
/// one of the least memory.
PlanPoint toPoint(const plan::Plan& plan, const PlanAim& aim, bool noneFits = false);
/// All but the points' layers and the capacities of other devices.
PlanCurveValues toCurve(const plan::PlanCurve& curve, const PlanAim& aim);
/// A plan that changes the task: "batch 1 · 6.0 GiB, 120 ms per step; recompute 3 of 9 layers".
TaskChange toTaskChange(const plan::Plan& plan, const stack::Experiment& before,
                        const predict::Target& target);

/// The moments of a predicted step. What recomputation has brought back is the part of the activations above
/// their lowest since it began; until the next micro-batch's forward pass, if there is one.
std::vector<PlanStepPoint> toStep(const widgets::Forecast& forecast);

}  // namespace highwater::desktop
