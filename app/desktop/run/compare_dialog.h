#pragma once

#include <QDialog>
#include <QStringList>
#include <vector>

#include "core/runs/run_store.h"

namespace highwater::desktop {

/// Shows runs side by side: the measurements, the settings that differ, and each value against the first run,
/// the baseline.
class CompareDialog : public QDialog {
    Q_OBJECT
public:
    /// `scriptLines`: rows of peakLineRows(); empty if no run is of a script.
    explicit CompareDialog(std::vector<runs::RunRecord> runs, const QList<QStringList>& scriptLines = {},
                           QWidget* parent = nullptr);
};

}  // namespace highwater::desktop
