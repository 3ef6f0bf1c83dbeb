#pragma once

#include <QWidget>
#include <optional>

#include "widgets/plot/chart_scene.h"
#include "widgets/study/study_values.h"

namespace highwater::widgets {

class HoverCardWidget;

/// The combinations as points, memory against time, with the intervals of time and the Pareto front. Hovering
/// names a combination; a click chooses it.
class ParetoPlot : public QWidget {
    Q_OBJECT
public:
    explicit ParetoPlot(QWidget* parent = nullptr);
    void setRows(std::vector<CombinationRow> rows);
    void setCurrent(int row);  ///< -1 if none is chosen
    /// The place of the row's point. Returns std::nullopt if the combination was not measured.
    std::optional<QPointF> pointOf(int row) const;
    /// The measured row whose point is near, or -1.
    int rowAt(const QPointF& position) const;
    HoverCard cardOf(int row) const;
    int hovered() const { return hovered_; }

signals:
    void rowClicked(int row);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    struct Frame;
    std::optional<Frame> frame() const;
    void paintAxes(QPainter& painter, const Frame& frame) const;
    void paintFront(QPainter& painter, const Frame& frame) const;
    void paintPoint(QPainter& painter, const Frame& frame, int row) const;
    void hover(int row);
    std::vector<CombinationRow> rows_;
    int current_ = -1, hovered_ = -1;
    HoverCardWidget* card_;
};

}  // namespace highwater::widgets
