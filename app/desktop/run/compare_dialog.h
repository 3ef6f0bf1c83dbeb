#pragma once

#include <QDialog>
#include <vector>

#include "core/runs/run_store.h"

namespace highwater::desktop {

/// Shows runs side by side: the measurements, the settings that differ, and each run relative to the first,
/// the baseline.
class CompareDialog : public QDialog {
    Q_OBJECT
public:
    explicit CompareDialog(std::vector<runs::RunRecord> runs, QWidget* parent = nullptr);
};

}  // namespace highwater::desktop
