#pragma once

#include <QWidget>

class QLabel;
class QSlider;
class QSpinBox;
class QToolButton;

namespace highwater::desktop {

/// Lets the user choose one volume of a 4D file, "volume [3] of 20" with a slider, or use all of them as
/// channels. Numbers on screen count from 1, those of the functions from 0. Hidden for a single volume.
class VolumeBar : public QWidget {
    Q_OBJECT
public:
    explicit VolumeBar(QWidget* parent = nullptr);
    /// `asChannels`: all volumes are channels already. The button then switches back to a single volume.
    void setVolumes(int count, int current, bool asChannels);
    int count() const { return count_; }
    int current() const { return current_; }

signals:
    void volumeChosen(int volume);
    void allAsChannelsRequested();
    void onlyThisRequested();

private:
    void choose(int volume);
    int count_ = 1, current_ = 0;
    bool asChannels_ = false;
    QLabel* title_;
    QSpinBox* number_;
    QLabel* of_;
    QSlider* slider_;
    QToolButton* all_;
};

}  // namespace highwater::desktop
