#pragma once

#include "widgets/stack/option_form.h"

/// The fields of an experiment beside its stack, a section each. Object names are JSON pointers into the
/// experiment: "/optimizer/lr". `here` must outlive the form.
namespace highwater::widgets {

/// What fields go by that is not part of the experiment.
struct SettingsDevices {
    bool cpu = true;   ///< it is run on, or predicted for, the CPU
    bool gpu = false;  ///< it is run on, or predicted for, a GPU
};

void addInputFields(OptionForm& form);
void addOptimizerFields(OptionForm& form);
void addStepFields(OptionForm& form, const SettingsDevices& here);
void addDataFields(OptionForm& form, const SettingsDevices& here);
void addWindowsFields(OptionForm& form);
void addLibraryFields(OptionForm& form, const SettingsDevices& here);

/// Shown, but for GPUs only: `why` says what it is there.
Availability onGpu(const SettingsDevices& here, const QString& why);

}  // namespace highwater::widgets
