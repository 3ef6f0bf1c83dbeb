#pragma once

#include <QDir>
#include <QSettings>
#include <QString>

namespace highwater::widgets {

/// Where a file dialog opens: the folder remembered in the setting `key`, or the user's home at first.
inline QString lastFolder(const char* key) {
    const QString folder = QSettings().value(key).toString();
    return folder.isEmpty() ? QDir::homePath() : folder;
}

}  // namespace highwater::widgets
