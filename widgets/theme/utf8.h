#pragma once

#include <QStringList>
#include <string>
#include <string_view>
#include <vector>

namespace highwater::widgets {

/// Converts the core's UTF-8 to QString.
inline QString fromUtf8(std::string_view utf8) {
    return QString::fromUtf8(utf8.data(), static_cast<qsizetype>(utf8.size()));
}
inline QStringList fromUtf8(const std::vector<std::string>& texts) {
    QStringList list;
    for (const std::string& text : texts) {
        list << fromUtf8(text);
    }
    return list;
}

}  // namespace highwater::widgets
