#pragma once

#include <string_view>

#include "core/stack/experiment.h"
#include "widgets/stack/layer_tree.h"

namespace highwater::widgets {

/// Inserts a layer of that type before entry `row` of `parent`'s list, with options that go with what it gets
/// there: as many channels, padding that keeps the size, an earlier output of the right shape to bring back
/// (which gets an id where it has none). Where several would do it is the first with which the experiment is
/// valid. A branch comes with the add or concat that brings back what it leaves. Layers that are there to
/// change the resolution change it (by 2), whether the rest of the stack goes with it or not.
/// Returns the new layer's path; nothing for an unknown type or place.
Paths insertNewLayer(stack::Experiment& experiment, std::string_view type, const Path& parent, int row);

}  // namespace highwater::widgets
