#pragma once

#include <vector>

#include "app/desktop/experiment/stack/field_to_vary.h"

namespace highwater::desktop {

/// Every field of an experiment that can be varied: its settings, then the options of its layers, those of
/// several layers with the same value first. Needs the window's thread, because it reads the editor's forms.
std::vector<FieldToVary> allFieldsToVary(const stack::Experiment& experiment);

}  // namespace highwater::desktop
