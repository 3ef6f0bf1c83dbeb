#pragma once

#include "core/stack/experiment.h"

namespace highwater::widgets {

/// Replaces the current experiment by a preset. If a scan is loaded and the preset is 3D, the scan stays the
/// input: with its own patch if the preset accepts it, else with the preset's patch. Batch size and all else
/// come from the preset.
stack::Experiment withPreset(const stack::Experiment& current, stack::Experiment preset);

}  // namespace highwater::widgets
