#pragma once

#include "app/desktop/prediction/plan/plan_values.h"

/// Made-up plans of an experiment.
namespace highwater::desktop::samples {

inline PlanPoint plan(base::Bytes peak, double slower, int recomputed) {
    PlanPoint point;
    point.peak = peak;
    point.slower = slower;
    point.time = QStringLiteral("%1 ms per step").arg(static_cast<int>(264 * (1 + slower)));
    point.basis = QStringLiteral("asked of cuDNN 9.19.0: 10.9 GiB to 11.2 GiB");
    point.headline = QStringLiteral("Fits on an RTX 3060: recompute %1 of 4 layers").arg(recomputed);
    if (recomputed > 0) {
        point.changes << QStringLiteral("%1 of 4 layers are recomputed").arg(recomputed);
    }
    point.asItIs = recomputed == 0;
    const auto layer = [&](const char* name, int depth, bool block, int place) {
        const bool again = place < recomputed;
        point.layers.push_back({name, depth, block, again ? "recompute" : "keep", again, again ? "×2" : "",
                                again ? 0 : 300 * base::kMiB, again ? 300 * base::kMiB : 0});
    };
    layer("encoder 1", 0, true, 0);
    layer("1 conv", 1, false, 0);
    layer("2 relu", 1, false, 1);
    layer("decoder", 0, false, 3);
    return point;
}

inline PlanCurveValues curve() {
    PlanCurveValues values;
    values.points = {plan(6 * base::kGiB, 0.78, 4), plan(8 * base::kGiB, 0.4, 3),
                     plan(11 * base::kGiB, 0.18, 2), plan(15 * base::kGiB, 0.05, 1),
                     plan(23 * base::kGiB, 0, 0)};
    values.asItIs = values.points.back();
    values.measure = "reserved";
    values.budgetName = "RTX 3060";
    values.budget = 12241 * base::kMiB;
    values.capacities = {{"RTX 4060 8 GB", 7600 * base::kMiB}, {"RTX 3090 24 GB", 24000 * base::kMiB}};
    return values;
}

inline PlanSteps steps() {
    PlanSteps steps;
    steps.asItIs = {{0, base::kGiB, 0, "forward"},
                    {100, 23 * base::kGiB, 0, "backward of layer 9"},
                    {264, base::kGiB, 0, "optimizer"}};
    steps.plan = {{0, base::kGiB, 0, "forward"},
                  {100, 10 * base::kGiB, 0, "backward of layer 9"},
                  {150, 11 * base::kGiB, 3 * base::kGiB, "recompute of layer 4"},
                  {311, base::kGiB, 0, "optimizer"}};
    steps.note = "predicted (estimate) for RTX 3060";
    steps.budget = 12241 * base::kMiB;
    steps.budgetName = "RTX 3060";
    return steps;
}

}  // namespace highwater::desktop::samples
