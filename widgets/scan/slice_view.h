#pragma once

#include <QImage>
#include <QWidget>
#include <optional>

#include "widgets/scan/scan_scene.h"
#include "widgets/scan/slice_frame.h"

namespace highwater::widgets {

/// One slice of the scene's volume through its cursor. Left drag: cursor, or the patch box by its edge; right
/// drag: window; middle drag: pan; wheel: slices; Ctrl and wheel: zoom. Reads only the slice it shows.
class SliceView : public QWidget {
    Q_OBJECT
public:
    SliceView(ScanScene& scene, volume::Plane plane, QWidget* parent = nullptr);

    volume::Plane plane() const { return frame_.layout.plane; }
    const SliceFrame& frame() const { return frame_; }
    /// The slice shown, counted along the normal's voxel axis.
    std::int64_t index() const;
    /// "k 89/160": the voxel axis, the slice counted from 1, how many there are.
    QString numberText() const;
    /// Left drag changes the window, as right drag does.
    void setWindowMode(bool on) { windowMode_ = on; }
    void resetView();
    QSize sizeHint() const override { return {220, 220}; }

signals:
    /// The voxel under the mouse; nothing when it left.
    void hovered(const std::optional<highwater::widgets::Index3>& voxel);
    void maximiseRequested();
    void resetRequested();

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    enum class Drag { None, Cursor, Patch, Window, Pan };
    void takeVolume();
    void refreshImage();
    void scroll(std::int64_t slices);
    void step(int columns, int rows);
    bool onPatchEdge(const QPointF& at) const;
    Drag dragFor(const QMouseEvent& event) const;
    void dragWindow(const QPointF& by);
    void dragPatch(const QPointF& to);
    void paintCrosshair(QPainter& painter) const;
    void paintLetters(QPainter& painter) const;

    ScanScene& scene_;
    SliceFrame frame_;
    QImage image_;
    std::int64_t imageIndex_ = -1;
    volume::Window imageWindow_;
    bool windowMode_ = false;
    int wheelRest_ = 0;

    Drag drag_ = Drag::None;
    QPointF dragFrom_;
    volume::Window windowFrom_;
    Index3 patchFrom_{};
    QPointF panFrom_;
};

}  // namespace highwater::widgets
