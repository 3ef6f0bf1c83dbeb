#pragma once

#include <QStringList>

namespace highwater::desktop {

/// Scans, folders of scans and cohorts that were opened, newest first. Those that no longer exist are left
/// out.
QStringList recentScans();
void rememberScan(const QString& path);
void forgetScan(const QString& path);

}  // namespace highwater::desktop
