#pragma once

#include <functional>

#include "core/stack/experiment.h"
#include "widgets/stack/layer_tree.h"
#include "widgets/stack/option_form.h"

namespace highwater::widgets {

/// Adds the fields for every option of that type of layer, its `id` included. `path` says where in the stack
/// the layer is by now.
void addFields(OptionForm& form, const stack::Op& op, std::function<Path()> path);

}  // namespace highwater::widgets
