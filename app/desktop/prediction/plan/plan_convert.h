#pragma once

#include "app/desktop/prediction/plan/plan_values.h"
#include "core/plan/plan_choice.h"
#include "widgets/plot/forecast.h"

/// Converts plans to the values that widgets show.
namespace highwater::desktop {

/// The target that plans are made for.
struct PlanAim {
    QString device;               ///< as shown: "RTX 3060 12 GB", "this CPU"
    predict::Target target = {};  ///< for the unchanged experiment
    plan::Budget budget = {};     ///< as plan::planUnder takes it
    base::Bytes capacity = 0;     ///< memory of the device available to a run; 0: unknown
};

/// "this CPU", "an RTX 3060 12 GB", "a T4 16 GB".
QString onDevice(const QString& device);
/// The limit in bytes: the budget, or else the capacity; 0 if neither is known.
base::Bytes limitOf(const PlanAim& aim);
/// The label of that limit: "budget", or else the device.
QString limitName(const PlanAim& aim);
/// Whether a plan is within the budget, by the criterion of plan::planUnder.
bool isWithin(const plan::Plan& plan, const PlanAim& aim);

/// plan::bestPlan for that target.
int bestPlan(const plan::PlanCurve& curve, const PlanAim& aim);

/// A plan as texts and figures, without its layers. `noneFits`: no plan is within the budget, and this is the
/// one with the least memory.
PlanPoint toPoint(const plan::Plan& plan, const PlanAim& aim, bool noneFits = false);
/// Everything except the points' layers and the capacities of other devices.
PlanCurveValues toCurve(const plan::PlanCurve& curve, const PlanAim& aim);
/// A plan that changes the task: "batch 1 · 6.0 GiB, 120 ms per step; recompute 3 of 9 layers".
TaskChange toTaskChange(const plan::Plan& plan, const stack::Experiment& before,
                        const predict::Target& target);

/// The moments of a predicted step. The recomputed memory is the part of the activations above their minimum
/// since recomputation began; until the next micro-batch's forward pass, if there is one.
std::vector<PlanStepPoint> toStep(const widgets::Forecast& forecast);

}  // namespace highwater::desktop
