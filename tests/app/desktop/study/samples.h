#pragma once

#include "app/desktop/study/study_values.h"

/// Values as the pages show them; not measured.
namespace highwater::desktop::samples {

inline ClaimRow claim(const QString& id, ClaimVerdict verdict, const QString& statement) {
    ClaimRow row;
    row.id = id;
    row.row = id.section('.', 0, 0);
    row.rowTitle = row.row == "S2" ? "checkpointing" : "custom convolution";
    row.statement = statement;
    row.about = "What it means.";
    row.verdict = verdict;
    return row;
}

inline ClaimRow measuredClaim() {
    ClaimRow row = claim("S2.memory", ClaimVerdict::Depends, "Checkpointing needs less memory");
    row.boundary = "up to batch size 4; not from 8";
    row.why = "The activations fall by 40 %.";
    row.figures = {{"plain",
                    "peak memory",
                    "B",
                    "batch size 4",
                    {3.0 * base::kMiB, 3.0 * base::kMiB, 3.0 * base::kMiB, 3}},
                   {"checkpointed",
                    "peak memory",
                    "B",
                    "batch size 4",
                    {2.0 * base::kMiB, 2.0 * base::kMiB, 2.0 * base::kMiB, 3}},
                   {"plain", "time of a step", "ms", "", {12, 11.5, 12.75, 5}},
                   {"checkpointed / plain", "peak memory", "", "", {0.667, 0.667, 0.667, 3}}};
    row.measuredOn = "Measured on this CPU, 2026-11-21 17:00";
    return row;
}

inline std::vector<ClaimRow> claims() {
    return {claim("S1.naive", ClaimVerdict::Holds, "The naive one is slower"),
            claim("S1.cached", ClaimVerdict::NotRun, "Computing once is faster"), measuredClaim(),
            claim("S2.gpu", ClaimVerdict::NotTestable, "A larger batch on a GPU is faster")};
}

inline CombinationRow combination(const QString& name, base::Bytes peak, double ms, bool front) {
    CombinationRow row;
    row.name = name;
    row.measured = true;
    row.peak = peak;
    row.stepMs = {ms, ms * 0.98, ms * 1.03, 3};
    row.front = front;
    row.status = "done";
    return row;
}

inline FactorialRows factorial() {
    FactorialRows rows;
    rows.title = "small 3D U-Net";
    rows.axes = {"Checkpoint every block", "In-place activations"};
    rows.combinations = {combination("unchanged", 100 * base::kMiB, 50, false),
                         combination("In-place activations", 80 * base::kMiB, 49, true),
                         combination("Checkpoint every block", 90 * base::kMiB, 70, false),
                         {}};
    CombinationRow& last = rows.combinations.back();
    last.name = "Checkpoint every block, In-place activations";
    last.status = "out of memory";
    last.problem = "asked for 14.8 of 11.6 GiB";
    rows.effects = {{"Checkpoint every block", false, {0.9, 0.9, 0.9, 3}, {1.4, 1.35, 1.45, 3}, true, true},
                    {"In-place activations", false, {0.8, 0.8, 0.8, 3}, {0.99, 0.97, 1.02, 3}, true, false},
                    {"Checkpoint every block × In-place activations", true, {1, 1, 1, 3}, {}, false, false}};
    rows.notes = {"1 of 4 combinations could not be run to its end"};
    return rows;
}

}  // namespace highwater::desktop::samples
