#pragma once

#include <string_view>

namespace highwater::widgets {

/// Converts the core's UTF-8 to QString.
inline QString fromUtf8(std::string_view utf8) {
    return QString::fromUtf8(utf8.data(), static_cast<qsizetype>(utf8.size()));
}

}  // namespace highwater::widgets
