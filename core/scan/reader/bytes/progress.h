#pragma once

#include <functional>
#include <string_view>

namespace highwater::scan::reader {

/// Receives the stage ("inflating", "reading") and the fraction done: 0 to 1, negative if unknown.
using ProgressSink = std::function<void(std::string_view stage, double fraction)>;

}  // namespace highwater::scan::reader
