#pragma once

#include "core/stack/experiment.h"
#include "widgets/stack/option_form.h"

namespace highwater::widgets {

/// Adds the fields for every option of that type of layer, its `id` included.
void addFields(OptionForm& form, const stack::Op& op);

}  // namespace highwater::widgets
