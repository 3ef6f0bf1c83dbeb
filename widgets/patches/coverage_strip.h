#pragma once

#include <QWidget>

#include "widgets/patches/patch_values.h"

class QComboBox;

namespace highwater::widgets {

class ElidedLabel;
class HeatLegend;
class WorkLine;

/// How often the samples of so many steps cover the scan: the choice of how many, the colours' legend, the
/// figures.
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
    ElidedLabel *samples_, *text_;
    WorkLine* work_;
};

}  // namespace highwater::widgets
