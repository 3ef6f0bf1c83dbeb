#pragma once

#include "app/desktop/prediction/plan/plan_values.h"
#include "widgets/plot/xy_chart.h"

namespace highwater::widgets {
class HoverCardWidget;
}

namespace highwater::desktop {

/// The plans as stairs: memory along x, the slowdown relative to the unchanged experiment along y. The budget
/// is a vertical line, other devices are thin ones. The selected plan has a ring and a card. The ids of the
/// points are their indices in the curve. The arrow keys go from plan to plan.
class PlanCurvePlot : public widgets::XyChart {
    Q_OBJECT
public:
    explicit PlanCurvePlot(QWidget* parent = nullptr);
    void setCurve(PlanCurveValues curve);
    const PlanCurveValues& curve() const { return curve_; }
    void setChosen(int point);
    /// The text shown while there are no plans.
    void setHint(const QString& hint);
    /// The position of a plan's point.
    QPointF placeOf(int point) const;
    widgets::HoverCard cardOf(int point) const;
    /// All plans as a table for the clipboard (see tabbed()).
    QString data() const;

signals:
    void planClicked(int point);

protected:
    widgets::ChartScene sceneOf(const widgets::PlotFrame& frame) const override;
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    bool known(int point) const { return point >= 0 && point < static_cast<int>(curve_.points.size()); }
    void fitAxes();
    void addStairs(widgets::ChartScene& scene) const;
    void addPoints(widgets::ChartScene& scene, const widgets::PlotFrame& frame) const;
    void addDevices(widgets::ChartScene& scene) const;
    void showCard();
    PlanCurveValues curve_;
    QString hint_;
    int chosen_ = -1;
    widgets::HoverCardWidget* card_;
};

}  // namespace highwater::desktop
