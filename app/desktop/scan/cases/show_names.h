#pragma once

#include <QComboBox>

namespace highwater::desktop {

/// Fills the combo box with the names. If it contains them already, its items are left alone, so that an open
/// popup stays open.
inline void showNames(QComboBox& choice, const QStringList& names, int current) {
    QStringList before;
    for (int i = 0; i < choice.count(); ++i) {
        before << choice.itemText(i);
    }
    if (before != names) {
        choice.clear();
        choice.addItems(names);
    }
    choice.setCurrentIndex(current);
}

}  // namespace highwater::desktop
