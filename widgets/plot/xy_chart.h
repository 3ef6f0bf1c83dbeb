#pragma once

#include <QWidget>

#include "widgets/plot/chart_scene.h"
#include "widgets/plot/step_groups.h"

namespace highwater::widgets {

class Canvas;

/// A chart of points or bars on two axes that can be zoomed and moved. A derived class makes the scene of the
/// visible part, and is asked again when that part, the size or the theme changes.
///
/// Mouse: the wheel zooms about the pointer, dragging with the left or middle button moves, a double-click
/// shows all, a click on a point chooses it. Keys: +/- zoom, Home or Escape show all, Left/Right go from
/// point to point, Return chooses.
class XyChart : public QWidget {
    Q_OBJECT
public:
    explicit XyChart(QWidget* parent = nullptr);

    /// The position and the visible part of the axes. Valid even before the first paint.
    PlotFrame frame() const;
    const ChartScene& scene() const { return scene_; }
    bool zoomed() const;
    void resetView();
    int hovered() const { return hovered_; }  ///< the id of a point, or -1

signals:
    /// Emitted when the hovered point changes (-1: none), and when it moves on the screen.
    void pointHovered(int id);
    void pointClicked(int id);

protected:
    /// The scene for the visible part of the axes. Its axis ranges are overwritten with those of the frame.
    virtual ChartScene sceneOf(const PlotFrame& frame) const = 0;

    /// Sets the whole range of both axes. If it differs from the previous one, all of it is shown. An empty
    /// range is widened a little.
    void setAxes(AxisSpan x, AxisSpan y);
    /// The room between the widget's edges and the axes, in logical pixels.
    void setMargins(const QMargins& margins);
    void setZoomable(Qt::Orientations axes) { zoomable_ = axes; }
    /// If on, the wheel zooms only with Ctrl; without Ctrl the event goes to the parent widget.
    void setWheelWithControl(bool on) { wheelWithControl_ = on; }
    void refresh();
    void hover(int id);
    /// The id of the nearest point within 14 logical pixels of a position, or -1.
    virtual int idAt(const QPointF& position) const;

    void changeEvent(QEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;

private:
    /// The visible part of the whole axes, as positions on them.
    struct View {
        StepRange x{0, 1}, y{0, 1};
    };
    void setView(const View& view);
    void zoomAbout(const QPointF& position, double factor);
    void goToNext(int direction);

    Canvas* canvas_;
    ChartScene scene_;
    AxisSpan x_, y_;
    View view_, pressedView_;
    QMargins margins_;
    Qt::Orientations zoomable_ = Qt::Horizontal | Qt::Vertical;
    bool wheelWithControl_ = false;
    int hovered_ = -1;
    std::optional<QPointF> pressed_;
    bool dragged_ = false;
    bool focusShown_ = false;  ///< the focus came from the keyboard
};

}  // namespace highwater::widgets
