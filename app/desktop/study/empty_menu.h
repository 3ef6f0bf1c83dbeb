#pragma once

#include <QMenu>

namespace highwater::desktop {

/// Removes all entries of a menu and its submenus too, which QMenu::clear() leaves behind as hidden children.
/// May be called while an entry of a submenu is at work.
inline void emptyMenu(QMenu& menu) {
    menu.clear();
    for (QMenu* const submenu : menu.findChildren<QMenu*>(Qt::FindDirectChildrenOnly)) {
        submenu->deleteLater();
    }
}

}  // namespace highwater::desktop
