#pragma once

#include <memory>

#include "app/desktop/study/study_values.h"
#include "widgets/plot/xy_chart.h"

class QMenu;

namespace highwater::widgets {
class HoverCardWidget;
}

namespace highwater::desktop {

/// The combinations as points, memory against time, with the intervals of time and the Pareto front. Hovering
/// names a combination; a click selects it. The ids of the points are the rows.
class ParetoPlot : public widgets::XyChart {
    Q_OBJECT
public:
    explicit ParetoPlot(QWidget* parent = nullptr);
    void setRows(std::vector<CombinationRow> rows);
    void setCurrent(int row);  ///< -1 if none is selected
    /// Makes both axes logarithmic, or linear (the default).
    void setLogarithmic(bool on);
    /// The position of the row's point. Returns std::nullopt if the combination was not measured.
    std::optional<QPointF> pointOf(int row) const;
    /// The measured row whose point is nearby, or -1.
    int rowAt(const QPointF& position) const { return idAt(position); }
    widgets::HoverCard cardOf(int row) const;
    /// All measured combinations as a table for the clipboard (see tabbed()): the peak in bytes, the time of
    /// a step with its interval in milliseconds.
    QString data() const;
    std::unique_ptr<QMenu> contextMenu();

signals:
    void rowClicked(int row);

protected:
    widgets::ChartScene sceneOf(const widgets::PlotFrame& frame) const override;
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    const CombinationRow* measured(int row) const;
    void fitAxes();
    void addPoints(widgets::ChartScene& scene) const;
    void addFront(widgets::ChartScene& scene, const widgets::PlotFrame& frame) const;
    void addNames(widgets::ChartScene& scene, const widgets::PlotFrame& frame) const;
    void showCard(int row);
    std::vector<CombinationRow> rows_;
    int current_ = -1;
    bool log_ = false;
    widgets::HoverCardWidget* card_;
};

}  // namespace highwater::desktop
