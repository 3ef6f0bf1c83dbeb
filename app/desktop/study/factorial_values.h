#pragma once

#include <QStringList>

#include "core/study/factorial.h"
#include "core/study/toggles.h"
#include "widgets/study/factorial_setup.h"
#include "widgets/study/study_values.h"

/// Levers and what a factorial found, as the values that the window shows.
namespace highwater::desktop {

/// Every lever, and why it cannot be switched on in that experiment on that device.
std::vector<widgets::ToggleRow> toggleRows(const stack::Experiment& experiment, bool cuda);
/// Why the lever of that id cannot be switched on there, "ID: ..."; empty: it can.
QString whyRefused(const stack::Experiment& experiment, const QString& id, bool cuda);
/// All combinations of the chosen levers.
study::Sweep sweepOf(const stack::Experiment& experiment, const widgets::FactorialChoice& choice);
widgets::FactorialRows toRows(const study::SweepResult& result);

/// A line for each combination: levers, bytes, milliseconds with their interval, front, status.
std::string toCsv(const study::SweepResult& result);

}  // namespace highwater::desktop
