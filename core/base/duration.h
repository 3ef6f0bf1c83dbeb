#pragma once

#include <string>

#include "core/base/units.h"

namespace highwater::base {

/// An approximate time for display, in whole seconds and at least one: "8 s", "1 min 35 s", "2 h 5 min".
std::string formatTimeLeft(Millis ms);

}  // namespace highwater::base
