#pragma once

#include <QColor>
#include <QMetaType>
#include <QString>
#include <QStringList>
#include <vector>

#include "core/base/statistics.h"
#include "core/base/units.h"

/// What the pages about studies show, as plain values.
namespace highwater::widgets {

enum class ClaimVerdict { NotRun, Holds, DoesNotHold, Depends, NotTestable };
enum class ClaimActivity { None, Waiting, Running };

/// One figure of a claim: an experiment's quantity, or a ratio of two.
struct ClaimFigure {
    QString label;         ///< "checkpointed", "checkpointed / plain"
    QString quantity;      ///< in words: "peak memory"
    QString unit;          ///< "B", "ms", "1/s" or "" (a count or a ratio)
    QString at;            ///< where something is varied: "batch size 4"; otherwise empty
    base::Interval value;  ///< n: repeats
    bool operator==(const ClaimFigure&) const = default;
};

/// A claim and what became of it on this machine.
struct ClaimRow {
    QString id;         ///< "S2.memory"
    QString row;        ///< "S2"
    QString rowTitle;   ///< "checkpointing"
    QString statement;  ///< what is said
    QString about;      ///< what it means here
    bool needsGpu = false;
    ClaimVerdict verdict = ClaimVerdict::NotRun;
    ClaimActivity activity = ClaimActivity::None;
    QString boundary;  ///< depends: where it changes
    QString why;       ///< a sentence with its evidence
    bool noise = false;
    QString problem;  ///< why the last attempt gave no verdict
    std::vector<ClaimFigure> figures;
    QString measuredOn;  ///< device, versions and date; empty: not measured
    bool operator==(const ClaimRow&) const = default;
};

/// A lever that the present experiment can, or cannot, have switched on.
struct ToggleRow {
    QString id;      ///< "checkpoint_blocks"
    QString title;   ///< "Checkpoint every block"
    QString what;    ///< a sentence
    QString row;     ///< "S2"
    QString whyNot;  ///< set: it cannot be chosen
    bool changesTask = false;
    bool operator==(const ToggleRow&) const = default;
};

/// One combination of a factorial.
struct CombinationRow {
    QString name;              ///< "Checkpoint every block, In-place activations"; "as it is"
    QStringList levels;        ///< an axis: "on", "off"
    bool measured = false;     ///< memory and time are known
    base::Bytes peak = 0;      ///< the highest tensor memory
    base::Interval stepMs;     ///< n: repeats
    bool front = false;        ///< no other beats it in both
    QString status;            ///< "done", "out of memory", "cannot be run", "not run"
    QString problem;           ///< one line; empty where there is none
    bool changesTask = false;  ///< the network computes something else
    bool usable = true;        ///< it is a valid experiment
    bool operator==(const CombinationRow&) const = default;
};

/// What one lever, or two together, does: ratios, 1 is nothing.
struct EffectRow {
    QString name;  ///< "Checkpoint every block", "A × B"
    bool interaction = false;
    base::Interval memory, time;  ///< n = 0: not known
    bool memoryDiffers = false, timeDiffers = false;
    bool operator==(const EffectRow&) const = default;
};

struct FactorialRows {
    QString title;     ///< of which experiment
    QStringList axes;  ///< names of the levers
    std::vector<CombinationRow> combinations;
    std::vector<EffectRow> effects;
    QStringList notes;
    bool operator==(const FactorialRows&) const = default;
};

/// How far a study has come.
struct StudyState {
    bool running = false;
    bool cancelling = false;
    QString what;         ///< "plain, repeat 2"
    double fraction = 0;  ///< 0 to 1
    QString whyNot;       ///< set: nothing can be started now ("A run is on: ...")
    bool operator==(const StudyState&) const = default;
};

}  // namespace highwater::widgets
