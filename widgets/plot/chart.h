#pragma once

#include <QWidget>
#include <functional>
#include <optional>

#include "widgets/plot/chart_scene.h"

namespace highwater::widgets {

class Canvas;
class HoverCardWidget;

/// One chart. It draws a scene, and turns mouse and keys into requests to change its x axis. It owns no data
/// and never changes its own range: the owner answers a request with a new scene.
///
/// Mouse: the wheel zooms about the pointer, Shift+wheel (or a sideways wheel) moves, dragging selects the
/// range to zoom into, dragging with the middle button or with Shift moves, a double-click shows all, a click
/// emits clicked(). Keys: Left/Right move the crosshair, +/- zoom about it, Home or Escape show all, Return
/// acts as a click at the crosshair. Escape when everything is in view, and Return without a crosshair, are
/// left to the window.
class Chart : public QWidget {
    Q_OBJECT
public:
    explicit Chart(QWidget* cardHost, QWidget* parent = nullptr);

    /// `zoomed`: the scene shows only a part of the whole range.
    void setScene(ChartScene scene, bool zoomed = false);
    const ChartScene& scene() const { return scene_; }
    /// Sets the function that makes the hover card for a position on the x axis. An empty card shows nothing.
    void setCards(std::function<HoverCard(double)> cards) { cards_ = std::move(cards); }
    /// Returns whether the margin changed.
    bool setLeftMargin(int points);
    /// The left margin that the scene's y labels need, in logical pixels.
    int leftMarginNeeded() const;
    PlotFrame frame() const;
    Canvas& canvas() { return *canvas_; }
    const Canvas& canvas() const { return *canvas_; }
    std::optional<double> crosshair() const { return crosshair_; }
    void hideCrosshair();

signals:
    void viewRequested(double from, double to);
    void resetRequested();
    void clicked(double x);
    void resized();

protected:
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    bool event(QEvent* event) override;

private:
    enum class Drag { None, Pending, Select, Move };
    class Overlay;

    void zoomAbout(double x, double factor);
    void moveBy(double parts);  ///< in units of the visible range
    void showCrosshair(double x);
    void dragTo(const QPointF& position);

    Canvas* canvas_;
    Overlay* overlay_;
    HoverCardWidget* card_;
    ChartScene scene_;
    std::function<HoverCard(double)> cards_;
    std::optional<double> crosshair_;
    Drag drag_ = Drag::None;
    QPointF dragStart_, dragNow_;
    AxisSpan movedFrom_;
    bool zoomed_ = false;
    int leftMargin_ = 48;
    bool focusShown_ = false;  ///< the focus came from the keyboard, so it is shown
};

}  // namespace highwater::widgets
