#pragma once

#include <QColor>
#include <QMetaType>
#include <QString>
#include <QStringList>
#include <vector>

#include "core/base/statistics.h"
#include "core/base/units.h"

/// The values shown in the windows of claims and factorials.
namespace highwater::desktop {

enum class ClaimVerdict { NotRun, Holds, DoesNotHold, Depends, NotTestable };
enum class ClaimActivity { None, Waiting, Running };

/// One figure of a claim: a quantity of an experiment, or the ratio of two.
struct ClaimFigure {
    QString label;         ///< "checkpointed", "checkpointed / plain"
    QString quantity;      ///< in words: "peak memory"
    QString unit;          ///< "B", "ms", "1/s" or "" (a count or a ratio)
    QString at;            ///< the size, if the claim varies one: "batch size 4"; otherwise empty
    base::Interval value;  ///< n: repeats
    bool operator==(const ClaimFigure&) const = default;
};

/// A claim and its result on this machine.
struct ClaimRow {
    QString id;         ///< "S2.memory"
    QString row;        ///< "S2"
    QString rowTitle;   ///< "checkpointing"
    QString statement;  ///< the claim as stated
    QString about;      ///< its meaning in this program
    bool needsGpu = false;
    ClaimVerdict verdict = ClaimVerdict::NotRun;
    ClaimActivity activity = ClaimActivity::None;
    QString boundary;  ///< for the verdict "depends": where the result changes
    QString why;       ///< the reason of the verdict with its evidence, one sentence
    bool noise = false;
    QString problem;  ///< why the last attempt produced no verdict
    std::vector<ClaimFigure> figures;
    QString measuredOn;  ///< device, versions and date; empty if not measured
    bool operator==(const ClaimRow&) const = default;
};

/// A lever that can, or cannot, be switched on for the current experiment.
struct ToggleRow {
    QString id;      ///< "checkpoint_blocks"
    QString title;   ///< "Checkpoint every block"
    QString what;    ///< what it does, one sentence
    QString row;     ///< "S2"
    QString whyNot;  ///< why it cannot be chosen; empty if it can
    bool changesTask = false;
    bool operator==(const ToggleRow&) const = default;
};

/// One combination of a factorial.
struct CombinationRow {
    QString name;              ///< "Checkpoint every block, In-place activations"; "unchanged"
    QStringList levels;        ///< the level of each lever: "on", "off"
    bool measured = false;     ///< memory and time are known
    base::Bytes peak = 0;      ///< peak of the tensor memory
    base::Interval stepMs;     ///< n: repeats
    bool front = false;        ///< on the Pareto front: no other combination is better in both
    QString status;            ///< "done", "out of memory", "cannot be run", "not run"
    QString problem;           ///< what went wrong, one line; empty if nothing did
    bool changesTask = false;  ///< the network computes something else
    bool usable = true;        ///< it is a valid experiment
    bool operator==(const CombinationRow&) const = default;
};

/// The effect of one lever, or the interaction of two, as ratios; 1 means no effect.
struct EffectRow {
    QString name;  ///< "Checkpoint every block", "A × B"
    bool interaction = false;
    base::Interval memory, time;  ///< n = 0 if not known
    bool memoryDiffers = false, timeDiffers = false;
    bool operator==(const EffectRow&) const = default;
};

struct FactorialRows {
    QString title;     ///< the experiment's title
    QStringList axes;  ///< names of the levers
    std::vector<CombinationRow> combinations;
    std::vector<EffectRow> effects;
    QStringList notes;
    bool operator==(const FactorialRows&) const = default;
};

/// The progress of a study.
struct StudyState {
    bool running = false;
    bool cancelling = false;
    QString what = {};    ///< "plain, repeat 2"
    double fraction = 0;  ///< 0 to 1
    QString whyNot = {};  ///< why nothing can be started now ("A run is on: ..."); empty if a study can be
    bool operator==(const StudyState&) const = default;
};

}  // namespace highwater::desktop
