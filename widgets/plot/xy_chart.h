#pragma once

#include <QWidget>

#include "widgets/plot/chart_scene.h"
#include "widgets/plot/step_groups.h"

namespace highwater::widgets {

class Canvas;

/// Points and bars on two axes, of which it shows all or a part. Who derives from it makes the scene of what
/// is in sight, anew whenever that, the size or the theme changes.
///
/// Mouse: wheel zooms about the pointer, dragging (left or middle button) moves, double-click shows all, a
/// click on a point chooses it. Keys: +/- zoom, Home or Escape show all, Left/Right go from point to point,
/// Return chooses.
class XyChart : public QWidget {
    Q_OBJECT
public:
    explicit XyChart(QWidget* parent = nullptr);

    /// The axes as they are in sight; valid before the first paint too.
    PlotFrame frame() const;
    const ChartScene& scene() const { return scene_; }
    bool zoomed() const;
    void resetView();
    int hovered() const { return hovered_; }  ///< a point's id; -1: none

signals:
    void pointHovered(int id);
    void pointClicked(int id);

protected:
    /// The frame's axes need not be repeated in it.
    virtual ChartScene sceneOf(const PlotFrame& frame) const = 0;

    /// What the axes show as a whole; other ones than before show all. A span that is none is made one.
    void setAxes(AxisSpan x, AxisSpan y);
    void setMargins(const QMargins& margins);  ///< between the widget's edges and the axes
    void setZoomable(Qt::Orientations axes) { zoomable_ = axes; }
    /// The wheel zooms only with Ctrl: without it, it scrolls what the chart lies in.
    void setWheelWithControl(bool on) { wheelWithControl_ = on; }
    void refresh();
    void hover(int id);
    /// The point that is less than 14 points on the screen away, or -1.
    int idAt(const QPointF& position) const;

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
    /// What is in sight of the whole, as parts of it.
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
    bool focusShown_ = false;  ///< the focus came by keyboard
};

}  // namespace highwater::widgets
