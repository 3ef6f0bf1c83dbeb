#pragma once

#include "core/stack/json/json.h"

namespace highwater::stack {

/// As toJson(), with the optimizer even if it is the default one: when a JSON Pointer sets one of its fields,
/// its type has to be there.
nlohmann::ordered_json toEditableJson(const Experiment& experiment);

}  // namespace highwater::stack
