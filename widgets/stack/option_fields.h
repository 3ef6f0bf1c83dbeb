#pragma once

#include <functional>

#include "core/stack/experiment.h"
#include "widgets/stack/layer_tree.h"
#include "widgets/stack/option_form.h"

namespace highwater::widgets {

/// Adds the fields for all options of that type of layer, including its `id`. `path` returns the layer's
/// current place in the stack.
void addFields(OptionForm& form, const stack::Op& op, std::function<Path()> path);

}  // namespace highwater::widgets
