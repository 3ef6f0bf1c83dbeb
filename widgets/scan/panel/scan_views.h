#pragma once

#include <QWidget>
#include <array>

class QGridLayout;
class QVBoxLayout;

namespace highwater::widgets {

class LabelList;
class ScanScene;
class ScanStatus;
class SliceView;
class VolumeView;

/// The three slices and the 3D view of one scene, with the owner's bars above and the status line below. It
/// also handles the keys that have the same meaning in every view.
class ScanViews : public QWidget {
    Q_OBJECT
public:
    explicit ScanViews(ScanScene& scene, QWidget* parent = nullptr);

    /// Adds a line of controls above the views, below those added before. Takes ownership.
    void addBar(QWidget* bar);
    ScanStatus& status() { return *status_; }
    VolumeView& volumeView() { return *volumeView_; }
    LabelList& labelList() { return *labelList_; }
    /// Maximizes one view, or shows all four again if it is already maximized.
    void maximise(QWidget* view);
    /// Resets zoom, pan, camera, window and inversion to their initial values.
    void resetViews();

signals:
    /// The user wants to enter or leave full screen. The owner does it.
    void fullScreenRequested();
    void fullScreenLeft();

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void layOut();
    void showViews();
    void connectViews();
    void goBack();
    bool act(int key, bool shift);
    bool actPlain(int key);

    ScanScene& scene_;
    QVBoxLayout* bars_;
    QGridLayout* grid_;
    std::array<SliceView*, 3> slices_{};
    VolumeView* volumeView_;
    LabelList* labelList_;
    ScanStatus* status_;
    QWidget* maximised_ = nullptr;
};

}  // namespace highwater::widgets
