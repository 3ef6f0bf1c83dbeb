#pragma once

#include <QStringList>
#include <QWidget>

namespace highwater::desktop {

class CaseStepper;
class ChannelBar;
class VolumeBar;
class WarningLine;

/// The bars between the scan's header and its views: which case, channel and volume is shown, and the
/// warnings about its files. Each part is visible only if there is something to choose or to say.
class ScanBars : public QWidget {
    Q_OBJECT
public:
    explicit ScanBars(QWidget* parent = nullptr);

    CaseStepper& cases() { return *cases_; }
    ChannelBar& channels() { return *channels_; }
    VolumeBar& volumes() { return *volumes_; }
    WarningLine& warnings() { return *warnings_; }
    /// To be called after a part was filled. A row without visible parts takes no space.
    void refresh();

private:
    void paintEvent(QPaintEvent* event) override;
    CaseStepper* cases_;
    ChannelBar* channels_;
    VolumeBar* volumes_;
    WarningLine* warnings_;
    QWidget* row_;
};

}  // namespace highwater::desktop
