#pragma once

#include <QWidget>
#include <memory>
#include <optional>

#include "app/desktop/study/sweep/sweep_link.h"
#include "widgets/plot/chart_scene.h"

class QMenu;
class QPainter;

namespace highwater::widgets {
class Canvas;
class HoverCardWidget;
class LineField;
}  // namespace highwater::widgets

namespace highwater::desktop {

/// Every cell as a line through vertical axes, one for each column of the sweep. Dragging along an axis
/// brushes it: only cells that pass through the brush are shown. A click on a line selects the cell, a
/// double-click requests its run. Measured cells are solid, estimated ones dotted, hidden ones gray.
///
/// Keys: Left/Right go to an axis, Up/Down move its brush (the first press creates one), +/- widen and narrow
/// it, Delete removes it, Escape removes all; PageUp/PageDown go from cell to cell, Return requests the run.
class SweepParallel : public QWidget {
    Q_OBJECT
public:
    explicit SweepParallel(SweepLink& link, QWidget* parent = nullptr);
    ~SweepParallel() override;

    /// Draws what has changed; nothing is drawn while the widget is hidden.
    void refresh();
    /// The position of a column's axis, and of a value on it, in the widget's pixels.
    double axisX(std::size_t column) const;
    double valueY(std::size_t column, double coordinate) const;
    double valueAt(std::size_t column, double y) const;
    /// The shown cell whose line is nearby, or -1.
    int cellAt(const QPointF& position) const;
    std::size_t axis() const { return axis_; }  ///< the axis that the keys brush
    QString data() const;                       ///< the shown cells as a table (see tabbed())
    std::unique_ptr<QMenu> contextMenu();
    QSize minimumSizeHint() const override { return {320, 180}; }

protected:
    void changeEvent(QEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
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
    void showEvent(QShowEvent* event) override;

private:
    class Overlay;
    friend class Overlay;
    void spansAnew();
    widgets::PlotFrame frame() const;
    std::optional<std::size_t> axisAt(const QPointF& position) const;
    std::shared_ptr<const widgets::LineField> field(const std::vector<int>& cells, const QColor& color,
                                                    bool dotted) const;
    void brush(std::size_t column, double from, double to);
    void moveBrush(double by, double grow);
    void paintAxis(QPainter& painter, std::size_t column) const;
    void paintBrush(QPainter& painter, std::size_t column) const;
    void paintCell(QPainter& painter, int cell, double width) const;
    void showCard();
    SweepLink& link_;
    widgets::Canvas* canvas_;
    QWidget* overlay_;
    widgets::HoverCardWidget* card_;
    std::vector<widgets::AxisSpan> spans_;              ///< by column
    std::vector<float> parts_;                          ///< by cell and column: position on the axis, 0 to 1
    std::shared_ptr<const widgets::LineField> ground_;  ///< all cells, while some are hidden
    std::size_t axis_ = 0;
    bool stale_ = true;
    struct Drag {
        std::size_t column;
        double fromY;
        std::optional<SweepRange> moved;  ///< the brush being moved; std::nullopt if a new one is made
        bool far;
    };
    std::optional<Drag> drag_;
    std::optional<QPointF> pointer_;
};

}  // namespace highwater::desktop
