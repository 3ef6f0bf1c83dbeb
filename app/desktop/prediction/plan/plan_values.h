#pragma once

#include <QString>
#include <QStringList>
#include <vector>

#include "core/base/units.h"
#include "widgets/plot/plot_values.h"

/// The plain values shown in the view of plans.
namespace highwater::desktop {

/// The effect of a plan on one layer, or on a block.
struct PlanLayer {
    QString name;  ///< "enc2", "5 conv"
    int depth = 0;
    bool block = false;
    QString action;          ///< "keep", "recompute", "recompute 3 of 6", "offload"
    bool again = false;      ///< it is recomputed in the backward pass, at least partly
    QString note;            ///< "×2", "in place"; empty if there is nothing to say
    base::Bytes kept = 0;    ///< what it keeps for the backward pass
    base::Bytes freed = 0;   ///< what it would keep in addition without recomputation or offloading
    bool offloaded = false;  ///< `freed` is kept in host memory; for a block: by at least one of its layers
    bool operator==(const PlanLayer&) const = default;
};

/// One plan of the curve.
struct PlanPoint {
    QString headline;               ///< "Fits on an RTX 3060: recompute 5 of 9 layers, +18 % time"
    base::Bytes peak = 0;           ///< the memory compared with the budget
    double slower = 0;              ///< step time relative to that of the unchanged experiment, minus 1
    QString time;                   ///< "312 ms per step"; empty if unknown
    QString basis;                  ///< what the peak is based on: "exact", "an estimate: 10.9 to 11.2 GiB"
    QStringList changes;            ///< relative to the unchanged experiment, one line each
    bool fits = false;              ///< it is within the budget
    bool asItIs = false;            ///< it is the unchanged experiment
    std::vector<PlanLayer> layers;  ///< in the order of execution, a block before its contents
    QString kept;                   ///< "keeps 412 MiB of 1.20 GiB for the backward pass"
};

/// The capacity of another device.
struct PlanCapacity {
    QString name;
    base::Bytes bytes = 0;
};

/// All plans of an experiment for one device.
struct PlanCurveValues {
    std::vector<PlanPoint> points;  ///< from the least memory to the fastest
    PlanPoint asItIs;
    QString measure;         ///< what the memory axis shows: "reserved", "allocated"
    QString budgetName;      ///< "budget", "RTX 3060"
    base::Bytes budget = 0;  ///< 0: none
    std::vector<PlanCapacity> capacities;
};

/// A moment of a predicted step.
struct PlanStepPoint {
    double ms = 0;
    base::Bytes total = 0;
    base::Bytes again = 0;  ///< the part of `total` that was recomputed
    QString where;          ///< "backward of layer 10 conv"
};

/// The predicted steps of the unchanged experiment and of a plan.
struct PlanSteps {
    std::vector<PlanStepPoint> asItIs, plan;  ///< ascending; the plan's may not be known yet
    QString note;                             ///< "predicted · peak in backward of decoder 1"
    QString budgetName;
    base::Bytes budget = 0;  ///< 0: none
};

/// A row with a prediction and its measurement.
struct ConfirmedRow {
    QString what, predicted, measured, difference;
    bool agrees = false;
    bool operator==(const ConfirmedRow&) const = default;
};

/// Something that would fit if the task may change: "batch 1 · 6.0 GiB · 120 ms per step".
struct TaskChange {
    QString title, details;
};

}  // namespace highwater::desktop
