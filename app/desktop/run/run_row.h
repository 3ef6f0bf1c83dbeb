#pragma once

#include <QString>
#include <QStringList>
#include <optional>

#include "core/base/units.h"
#include "core/wire/events.h"

namespace highwater::desktop {

/// One run as the table shows it.
struct RunRow {
    int number = 0;  ///< counted from 1; the number by which users name a run
    QString id;      ///< the store's id
    QString name;    ///< the one that it was given, else the experiment's
    QString device;  ///< "cpu", "cuda:0 on lab"
    std::int64_t batch = 0;
    QString patch;                           ///< "96³"
    base::Bytes peak = 0;                    ///< 0: not measured
    base::Millis stepMs = 0;                 ///< the median step; 0: not measured
    int steps = 0;                           ///< how many were measured
    base::Millis stepLow = 0, stepHigh = 0;  ///< the median's 95 % interval; 0: too few steps
    wire::RunStatus state = wire::RunStatus::Running;
    bool onHost = false;  ///< it ran, or runs, on another machine
    QString message;      ///< why it stopped, one line
    QString note;         ///< what the user wrote about it, one line
    QStringList tags;
    QString studyId;             ///< empty: run by itself
    QString study;               ///< the study's name
    std::optional<double> loss;  ///< of the last step
    QString progress;            ///< of a run that goes on: "2 min 5 s left"
    QString created;             ///< "2026-11-23 08:30"
    bool operator==(const RunRow&) const = default;
};

/// "running", "done", "cancelled", "out of memory", "failed".
QString stateText(wire::RunStatus status);
QString stepsText(std::int64_t count);  ///< "1 step", "20 steps"

}  // namespace highwater::desktop
