#pragma once

#include <QString>

namespace highwater::widgets {

/// The text of a menu entry, button or check box that shows a name as it is: Qt would take an "&" in it for
/// the mark of a keyboard shortcut.
inline QString menuText(QString name) {
    return name.replace('&', QLatin1String("&&"));
}

}  // namespace highwater::widgets
