#include "app/desktop/scan/recent_scans.h"

#include <QFileInfo>
#include <QSettings>

namespace highwater::desktop {

namespace {
constexpr auto kKey = "files/recentScans";
constexpr int kMost = 10;
}  // namespace

QStringList recentScans() {
    QStringList paths = QSettings().value(kKey).toStringList();
    paths.removeIf([](const QString& path) { return !QFileInfo::exists(path); });
    return paths;
}

void forgetScan(const QString& path) {
    QStringList paths = QSettings().value(kKey).toStringList();
    paths.removeAll(path);
    QSettings().setValue(kKey, paths);
}

void rememberScan(const QString& path) {
    forgetScan(path);
    QStringList paths = QSettings().value(kKey).toStringList();
    paths.prepend(path);
    while (paths.size() > kMost) {
        paths.removeLast();
    }
    QSettings().setValue(kKey, paths);
}

}  // namespace highwater::desktop
