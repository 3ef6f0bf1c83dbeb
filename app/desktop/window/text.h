#pragma once

#include <QString>
#include <string_view>

namespace highwater::desktop {

/// Converts the UTF-8 text of the core for the window.
inline QString text(std::string_view utf8) {
    return QString::fromUtf8(utf8.data(), static_cast<qsizetype>(utf8.size()));
}

}  // namespace highwater::desktop
