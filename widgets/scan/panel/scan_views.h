#pragma once

#include <QWidget>
#include <array>

class QGridLayout;
class QVBoxLayout;

namespace highwater::widgets {

class ScanScene;
class ScanStatus;
class SliceView;
class VolumeView;

/// The three slices and the volume in 3D of one scene, the owner's bars above them and the status line below;
/// and the keys that mean the same in every view.
class ScanViews : public QWidget {
    Q_OBJECT
public:
    explicit ScanViews(ScanScene& scene, QWidget* parent = nullptr);

    /// A line of controls above the views, below those added before. Takes it over.
    void addBar(QWidget* bar);
    ScanStatus& status() { return *status_; }
    VolumeView& volumeView() { return *volumeView_; }
    /// One view alone, or all four again when it is alone already.
    void maximise(QWidget* view);
    /// Zoom, pan, camera, window and inversion as they were at first.
    void resetViews();

signals:
    /// The views alone on the whole screen, or back: the owner does it.
    void fullScreenRequested();
    void fullScreenLeft();

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void layOut();
    void connectViews();
    void goBack();
    bool act(int key, bool shift);
    bool actPlain(int key);

    ScanScene& scene_;
    QVBoxLayout* bars_;
    QGridLayout* grid_;
    std::array<SliceView*, 3> slices_{};
    VolumeView* volumeView_;
    ScanStatus* status_;
    QWidget* maximised_ = nullptr;
};

}  // namespace highwater::widgets
