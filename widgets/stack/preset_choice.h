#pragma once

#include "core/stack/experiment.h"

namespace highwater::widgets {

/// A preset in place of the current experiment. A loaded scan stays the input where the preset is 3D: with
/// its patch if the preset's shapes allow it, else with the preset's. Batch size and the like are the
/// preset's.
stack::Experiment withPreset(const stack::Experiment& current, stack::Experiment preset);

}  // namespace highwater::widgets
