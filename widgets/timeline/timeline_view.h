#pragma once

#include <QPainterPath>
#include <QWidget>
#include <functional>
#include <memory>
#include <optional>

#include "widgets/timeline/timeline_axes.h"
#include "widgets/timeline/trace_tables.h"

namespace highwater::widgets {

class HoverCardWidget;

/// The timeline: draws a trace's memory over time and lets the user navigate in it. Strips above the bands
/// show steps, phases and layers.
///
/// Mouse: the wheel zooms into time at the pointer, with Ctrl into bytes; with Shift (or sideways) it moves.
/// Dragging moves, Shift+drag selects a range of time. A click selects an allocation (and its layer, or a
/// layer on the layer strip). A double-click zooms to an allocation, or shows all if there is none under the
/// pointer. Keys: Left/Right/Up/Down move, +/- zoom, Ctrl+plus/minus zoom into bytes, Home all, P the peak, O
/// where memory ran out, S zoom to the selection, PageUp/PageDown the previous or next step. Ctrl+Left/Right
/// move the cursor from event to event, Ctrl+Up/Down from block to block, Return selects, Shift+Left/Right
/// select time, Escape clears selection and highlight.
class TimelineView : public QWidget {
    Q_OBJECT
public:
    explicit TimelineView(QWidget* cardHost, QWidget* parent = nullptr);

    /// Shows the whole trace; null clears the view.
    void setIndex(std::shared_ptr<const TraceIndex> index);
    const TraceIndex* index() const { return index_.get(); }

    const TimelineRange& range() const { return range_; }
    void setRange(const TimelineRange& range);
    void showAll();
    /// Extends the scale to at least this many bytes and shows all of it; 0: only up to the trace's own peak.
    void setRoom(double bytes);
    void setAxis(TimelineAxis axis);
    void zoomToPeak();
    void zoomToBlock(std::uint32_t block);
    void zoomToSelection();
    /// Goes to where memory ran out; the next call goes to the next place.
    void zoomToRefusal();
    /// The moment for which tables list the memory in use: the state clicked last; std::nullopt before any
    /// click.
    std::optional<std::size_t> moment() const { return moment_; }
    void chooseMoment(std::optional<std::size_t> state);

    void selectBlock(std::optional<std::uint32_t> block);
    std::optional<std::uint32_t> selectedBlock() const { return block_; }
    /// Highlights the allocations of the layer and of its sublayers; -1 for none.
    void showLayer(int layer);
    int shownLayer() const { return layer_; }
    /// A range of the x axis.
    using Stretch = std::pair<double, double>;
    void select(std::optional<Stretch> stretch);
    std::optional<Stretch> selection() const { return selection_; }
    /// The states in the selection, or all if there is none.
    StateRange selectedStates() const;

    /// The rectangle in which the memory is drawn, in the widget's coordinates.
    QRect plot() const;
    /// The drawn view, redrawn if it is out of date.
    const TimelinePicture& picture();
    double xAt(double pixel) const;
    double pixelAt(double x) const;

    QSize sizeHint() const override { return {900, 420}; }
    QSize minimumSizeHint() const override { return {160, 110}; }

signals:
    void rangeChanged();   ///< or its position in the widget
    void blockSelected();  ///< another block was selected, or none
    void layerClicked(int layer);
    void selectionChanged();
    void momentChosen();
    void refusalClicked(int refusal);  ///< index into Trace::refusals

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
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
    enum class Drag { None, Pending, Move, Select };
    /// What is under the pointer or the cursor.
    struct Target {
        std::size_t state = 0;
        std::optional<std::uint32_t> block;
        std::optional<memory::Category> band;
        int layer = -1;    ///< on the layer strip; -1 if none
        int refusal = -1;  ///< on an out-of-memory mark; -1 if none
    };

    void invalidate();
    void updateMargin();
    Target targetAt(const QPointF& position);
    void hover(const QPointF& position);
    void unhover();
    void clickAt(const QPointF& position);
    bool zoomKey(QKeyEvent* event);
    bool cursorKey(QKeyEvent* event);
    void moveCursor(int events);
    void moveCursorInStack(int by);
    void showCursorCard();
    void extendSelection(int direction);
    void jumpStep(int by);

    std::vector<std::pair<double, int>> stepMarks() const;
    void drawLines(QImage& image) const;
    void paintStrips(QPainter& painter);
    void paintAxes(QPainter& painter);
    void paintMarks(QPainter& painter);
    QPainterPath stepLine(const std::function<base::Bytes(std::size_t)>& valueAt) const;
    void paintLayerLine(QPainter& painter);
    void paintReservedLine(QPainter& painter);
    void paintBudget(QPainter& painter);
    void paintRefusals(QPainter& painter);
    void paintMoment(QPainter& painter);
    double refusalPixel(const memory::TraceRefusal& refusal) const;
    int refusalAt(const QPointF& position) const;
    void paintSelection(QPainter& painter);
    void paintCursor(QPainter& painter);
    void paintLabels(QPainter& painter);

    std::shared_ptr<const TraceIndex> index_;
    TimelineRange range_;
    double room_ = 0;
    TimelinePicture picture_;
    std::vector<ColumnRun> phases_, layers_;
    bool stale_ = true;
    int margin_ = 52;
    int layer_ = -1;
    TimelineFocus focus_;  // that layer and its sublayers
    LayerProfile profile_;
    std::optional<std::uint32_t> block_, hovered_;
    std::optional<Stretch> selection_;
    std::optional<double> crosshair_;  // a position on the x axis
    std::size_t cursor_ = 0;           // the state at the keyboard's cursor
    bool cursorShown_ = false;
    std::optional<std::size_t> moment_;
    int refusal_ = -1;                                   // the one visited last
    std::vector<std::pair<QRectF, int>> refusalLabels_;  // where they are drawn, and for which refusal
    HoverCardWidget* card_;
    Drag drag_ = Drag::None;
    QPointF dragStart_;
    TimelineRange dragRange_;
};

}  // namespace highwater::widgets
