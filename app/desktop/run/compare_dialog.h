#pragma once

#include <QDialog>
#include <vector>

#include "core/runs/run_store.h"

namespace highwater::desktop {

/// Runs side by side: what was measured, what differs in their settings, and each against the first.
class CompareDialog : public QDialog {
    Q_OBJECT
public:
    explicit CompareDialog(std::vector<runs::RunRecord> runs, QWidget* parent = nullptr);
};

}  // namespace highwater::desktop
