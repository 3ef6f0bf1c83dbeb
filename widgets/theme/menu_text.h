#pragma once

#include <QString>

namespace highwater::widgets {

/// The text of a menu entry, button or check box that shows a name unchanged: Qt would take an "&" in it as
/// the mark of a keyboard shortcut.
inline QString menuText(QString name) {
    return name.replace('&', QLatin1String("&&"));
}

}  // namespace highwater::widgets
