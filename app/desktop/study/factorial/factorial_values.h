#pragma once

#include <QStringList>

#include "app/desktop/study/factorial/factorial_setup.h"
#include "app/desktop/study/study_values.h"
#include "core/study/factorial.h"
#include "core/study/toggles.h"

/// Converts levers and the results of a factorial to the values that the window shows.
namespace highwater::desktop {

/// All levers, with the reason why a lever cannot be switched on for that experiment and device.
std::vector<ToggleRow> toggleRows(const stack::Experiment& experiment, bool cuda);
/// Returns why the lever with that id cannot be switched on, "ID: ...", or an empty string if it can.
QString whyRefused(const stack::Experiment& experiment, const QString& id, bool cuda);
/// All combinations of the selected levers and of the fields' values; the levers come first.
study::Sweep sweepOf(const stack::Experiment& experiment, const FactorialChoice& choice);
FactorialRows toRows(const study::SweepResult& result);

}  // namespace highwater::desktop
