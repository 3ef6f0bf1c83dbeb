#pragma once

#include <QWidget>

#include "widgets/patches/patch_values.h"

class QButtonGroup;

namespace highwater::widgets {

class CoverageStrip;
class PatchStepper;

/// The line over the scan's views that switches between the scan, what the network gets of it, and how often
/// the sampler gets where. Values in, signals out. While it has the focus, Left and Right (also , and .) step
/// through the patches.
class PatchBar : public QWidget {
    Q_OBJECT
public:
    explicit PatchBar(QWidget* parent = nullptr);

    PatchMode mode() const { return mode_; }
    void setMode(PatchMode mode);  ///< tells nobody
    void setPatches(const PatchesState& state);
    void setCoverage(const CoverageState& state);

signals:
    void modeChosen(highwater::widgets::PatchMode mode);
    // As PatchStepper's and CoverageStrip's:
    void patchChosen(int index);
    void moreRequested();
    void channelChosen(int channel);
    void targetToggled(bool on);
    void showInScanRequested();
    void liveToggled(bool on);
    void freezeToggled(bool on);
    void stepsChosen(int steps);
    void cancelRequested();
    void retryRequested();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    QWidget* makeSwitch();
    void connectParts();
    bool takeKey(const QKeyEvent& key);
    PatchMode mode_ = PatchMode::Scan;
    QButtonGroup* modes_;
    PatchStepper* stepper_;
    CoverageStrip* coverage_;
};

}  // namespace highwater::widgets
