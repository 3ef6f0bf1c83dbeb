#pragma once

#include <string_view>

#include "app/desktop/experiment/stack/layer_tree.h"
#include "core/stack/experiment.h"

namespace highwater::desktop {

/// Inserts a layer of that type before entry `row` of `parent`'s list. Its options are chosen to suit its
/// input: the same number of channels, padding that keeps the size, an earlier output of the right shape to
/// merge with (which gets an id if it has none). If several choices are possible, it uses the first one that
/// keeps the experiment valid. A branch is inserted together with the add or concat that merges it. Layers
/// whose purpose is to change the resolution change it (by 2), even if that makes the rest of the stack
/// invalid. Returns the new layer's path, or an empty list if the type or the position is unknown.
Paths insertNewLayer(stack::Experiment& experiment, std::string_view type, const Path& parent, int row);

}  // namespace highwater::desktop
