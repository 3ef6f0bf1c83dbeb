#pragma once

#include <QComboBox>

namespace highwater::widgets {

/// Puts the names into a chooser, unless they are there already, so that an open list stays open.
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

}  // namespace highwater::widgets
