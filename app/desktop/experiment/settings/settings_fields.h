#pragma once

#include "app/desktop/experiment/stack/option_form.h"

/// The fields of an experiment's settings (everything except its stack), one function for each section.
/// Object names are JSON pointers into the experiment: "/optimizer/lr". `here` must outlive the form.
namespace highwater::desktop {

/// What the fields depend on besides the experiment.
struct SettingsDevices {
    bool cpu = true;   ///< the experiment is run on, or predicted for, the CPU
    bool gpu = false;  ///< the experiment is run on, or predicted for, a GPU
};

/// The sections of the settings, in the order of the window.
struct SettingsSection {
    QString title;
    std::function<void(OptionForm&)> fill;
};
std::vector<SettingsSection> settingsSections(const SettingsDevices& here);

void addInputFields(OptionForm& form);
void addOptimizerFields(OptionForm& form);
void addStepFields(OptionForm& form, const SettingsDevices& here);
void addDataFields(OptionForm& form, const SettingsDevices& here);
void addWindowsFields(OptionForm& form);
void addLibraryFields(OptionForm& form, const SettingsDevices& here);

}  // namespace highwater::desktop
