#pragma once

#include <functional>

#include "app/desktop/experiment/stack/layer_tree.h"
#include "app/desktop/experiment/stack/option_form.h"
#include "core/stack/experiment.h"

namespace highwater::desktop {

/// Adds the fields for all options of that type of layer, including its `id`. `path` returns the layer's
/// current position in the stack.
void addFields(OptionForm& form, const stack::Op& op, std::function<Path()> path);

}  // namespace highwater::desktop
