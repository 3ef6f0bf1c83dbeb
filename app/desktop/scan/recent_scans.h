#pragma once

#include <QStringList>

namespace highwater::desktop {

/// Recently opened scans, folders of scans and cohorts, newest first. Those that no longer exist are left
/// out.
QStringList recentScans();
void rememberScan(const QString& path);
void forgetScan(const QString& path);

}  // namespace highwater::desktop
