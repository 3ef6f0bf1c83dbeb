#pragma once

#include <QDir>
#include <QSettings>
#include <QString>

namespace highwater::widgets {

/// Where a file dialog begins: the folder that the setting `key` remembers, at first the user's home.
inline QString lastFolder(const char* key) {
    const QString folder = QSettings().value(key).toString();
    return folder.isEmpty() ? QDir::homePath() : folder;
}

}  // namespace highwater::widgets
