#pragma once

#include <QWidget>

#include "app/desktop/scan/patches/patch_values.h"

class QComboBox;
class QLabel;
class QToolButton;

namespace highwater::widgets {
class ElidedLabel;
}

namespace highwater::desktop {

class WorkLine;

/// Steps through the patches that the network gets, and describes the displayed one.
class PatchStepper : public QWidget {
    Q_OBJECT
public:
    explicit PatchStepper(QWidget* parent = nullptr);
    void setState(const PatchesState& state);
    const PatchesState& state() const { return state_; }
    /// Shows the patch `by` positions further, if there is one. Does nothing while a run is followed.
    void step(int by);

signals:
    void patchChosen(int index);
    void moreRequested();
    void channelChosen(int channel);
    void targetToggled(bool on);
    void showInScanRequested();
    void liveToggled(bool on);
    void freezeToggled(bool on);
    void cancelRequested();
    void retryRequested();

private:
    QWidget* makeNumber();
    void makeControls();
    void refreshChannels();
    PatchesState state_;
    QToolButton *previous_ = nullptr, *next_ = nullptr;
    QLabel* number_ = nullptr;
    QWidget* numbers_ = nullptr;
    QToolButton *more_, *target_, *inScan_, *live_, *freeze_;
    QComboBox* channel_;
    QLabel* done_;
    widgets::ElidedLabel *origin_, *place_;
    WorkLine* work_;
};

}  // namespace highwater::desktop
