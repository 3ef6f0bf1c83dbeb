#pragma once

#include <QWidget>

#include "app/desktop/scan/patches/patch_values.h"

class QButtonGroup;

namespace highwater::desktop {

class CoverageStrip;
class PatchStepper;

/// The line above the scan's views. It switches between the scan, the patches that the network gets, and the
/// coverage map of the sampler. It takes values and emits signals. While it has the focus, Left and Right
/// (also , and .) step through the patches.
class PatchBar : public QWidget {
    Q_OBJECT
public:
    explicit PatchBar(QWidget* parent = nullptr);

    PatchMode mode() const { return mode_; }
    void setMode(PatchMode mode);  ///< emits no signal
    void setPatches(const PatchesState& state);
    void setCoverage(const CoverageState& state);

signals:
    void modeChosen(highwater::desktop::PatchMode mode);
    // The signals of PatchStepper and CoverageStrip, forwarded:
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

}  // namespace highwater::desktop
