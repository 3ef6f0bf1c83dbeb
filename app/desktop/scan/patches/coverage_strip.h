#pragma once

#include <QWidget>

#include "app/desktop/scan/patches/patch_values.h"

class QComboBox;

namespace highwater::widgets {
class ElidedLabel;
}

namespace highwater::desktop {

class HeatLegend;
class WorkLine;

/// Shows how often the samples of a number of steps cover the scan: a choice of the number of steps, the
/// color legend, and the figures.
class CoverageStrip : public QWidget {
    Q_OBJECT
public:
    explicit CoverageStrip(QWidget* parent = nullptr);
    void setState(const CoverageState& state);

signals:
    void stepsChosen(int steps);
    void cancelRequested();
    void retryRequested();

private:
    QComboBox* steps_;
    HeatLegend* legend_;
    widgets::ElidedLabel *samples_, *text_;
    WorkLine* work_;
};

}  // namespace highwater::desktop
