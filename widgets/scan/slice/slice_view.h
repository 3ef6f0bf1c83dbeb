#pragma once

#include <QWidget>
#include <optional>
#include <vector>

#include "widgets/scan/crop_box.h"
#include "widgets/scan/scan_scene.h"
#include "widgets/scan/slice/slice_frame.h"
#include "widgets/scan/slice/slice_picture.h"
#include "widgets/scan/view_paint.h"

namespace highwater::widgets {

/// One slice of the scene's volume through its cursor. docs/scan-views.md describes what each drag and key
/// does. Keys that concern all views are left to the parent. Only the visible part of the slice is read.
class SliceView : public QWidget {
    Q_OBJECT
public:
    SliceView(ScanScene& scene, volume::Plane plane, QWidget* parent = nullptr);

    volume::Plane plane() const { return frame_.layout.plane; }
    const SliceFrame& frame() const { return frame_; }
    /// The index of the slice shown, along the voxel axis of the plane's normal.
    std::int64_t index() const;
    /// "89/160": the number of the slice, counted from 1, and the number of slices.
    QString numberText() const;
    /// The notes on the picture: that it is reduced, smoothed or tilted. Empty if there is nothing to note.
    /// In a small view only the most important notes, shortened.
    QStringList notes() const;
    /// The texts that are painted over the slice. None overlaps another or the patch's label: if there is no
    /// room, the less important ones are left out.
    std::vector<ViewNote> texts() const;
    /// Sets whether dragging with the left button changes the window, as it does with the right button.
    void setWindowMode(bool on) { windowMode_ = on; }
    void resetView();
    QSize sizeHint() const override { return {220, 220}; }

signals:
    /// The voxel under the mouse; std::nullopt when the mouse has left.
    void hovered(const std::optional<highwater::widgets::Index3>& voxel);
    void maximiseRequested();
    void focused();

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void keyReleaseEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    enum class Drag { None, Cursor, Patch, Crop, Window, Scroll, Pan, Measure };
    struct DistanceEnd {
        std::size_t distance = 0;
        bool second = true;
    };
    struct Kept {
        volume::SliceLayout layout;
        double zoom = 1;
        QPointF pan;
    };
    void takeVolume();
    void paintBoxes(QPainter& painter) const;
    void paintTexts(QPainter& painter) const;
    int noteTop() const;

    void scroll(std::int64_t slices);
    void step(int columns, int rows);
    void nudgePatch(int columns, int rows, int slices);
    void moveCropEdge(const Grip& grip, int columns, int rows);
    void pan(const QPointF& by);
    void zoom(double factor);
    void arrow(const QKeyEvent& event, int columns, int rows);
    bool onPatch(const QPointF& at, Qt::KeyboardModifiers modifiers) const;
    std::optional<Grip> cropGrip(const QPointF& at) const;
    Drag leftDragFor(const QPointF& at, Qt::KeyboardModifiers modifiers) const;
    Drag dragFor(const QMouseEvent& event) const;
    void showCursorFor(const QPointF& at, Qt::KeyboardModifiers modifiers);
    void dragTo(const QPointF& at);
    void dragWindow(const QPointF& by);
    std::array<double, 3> placeAt(const QPointF& at) const;
    QPointF pointOf(const std::array<double, 3>& place) const;
    std::array<double, 3> cursorPlace() const;
    std::optional<DistanceEnd> distanceEnd(const QPointF& at) const;
    void pressMeasure(const QPointF& at);
    void moveMeasure(const QPointF& at);
    void releaseMeasure(const QPointF& at);
    bool followsMouse() const;
    void followCursor();
    void markAtCursor();
    bool measureKey(const QKeyEvent& event);
    void paintDistances(QPainter& painter) const;
    Index3 alongSlice(Index3 from, std::int64_t columns, std::int64_t rows) const;

    ScanScene& scene_;
    SliceFrame frame_;
    volume::Geometry geometry_;  ///< geometry of the current volume
    SlicePicture picture_;
    std::optional<Kept> kept_;  ///< the scan's zoom and pan, while another volume is shown instead
    bool windowMode_ = false, spaceHeld_ = false;
    int wheelRest_ = 0;

    Drag drag_ = Drag::None;
    QPointF dragFrom_;
    volume::Window windowFrom_;
    Index3 patchFrom_{}, cursorFrom_{};
    PatchBox cropFrom_;
    Grip grip_;
    QPointF panFrom_;
    std::optional<Index3> beforeClick_;  ///< where the cursor was before the last click
    bool second_ = true;                 ///< which end of a distance is being dragged
    bool secondClick_ = false;           ///< the press ended a distance
    bool byKeys_ = false;                ///< the end of the open distance follows the crosshair
};

}  // namespace highwater::widgets
