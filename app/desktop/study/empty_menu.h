#pragma once

#include <QMenu>

namespace highwater::desktop {

/// Removes all entries of a menu and its submenus, which QMenu::clear() would leave behind as hidden
/// children. May be called from the handler of a submenu's entry.
inline void emptyMenu(QMenu& menu) {
    menu.clear();
    for (QMenu* const submenu : menu.findChildren<QMenu*>(Qt::FindDirectChildrenOnly)) {
        submenu->deleteLater();
    }
}

}  // namespace highwater::desktop
