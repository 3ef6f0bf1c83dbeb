#pragma once

#include <functional>
#include <string_view>

namespace highwater::scan::reader {

/// stage ("inflating", "reading"), 0 to 1 or negative when unknown.
using ProgressSink = std::function<void(std::string_view stage, double fraction)>;

}  // namespace highwater::scan::reader
