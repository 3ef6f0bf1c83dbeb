#pragma once

#include "app/desktop/study/sweep/sweep_chart.h"

namespace highwater::desktop {

/// The cells as points over any two columns. Measured cells are filled, estimated ones rings, hidden ones
/// faint. If both columns have a better direction, the cells of the Pareto front are marked and joined by
/// stairs.
class SweepScatter : public SweepChart {
    Q_OBJECT
public:
    explicit SweepScatter(SweepLink& link, QWidget* parent = nullptr);
    /// The front of the shown cells; computed when it is drawn.
    const SweepFront& front() const { return front_; }

protected:
    widgets::ChartScene sceneOf(const widgets::PlotFrame& frame) const override;
    void fitAxes() override;
    QPointF placeOf(int cell) const override;

private:
    void addPoints(widgets::ChartScene& scene) const;
    void addFront(widgets::ChartScene& scene, const widgets::PlotFrame& frame) const;
    SweepFront front_;
};

}  // namespace highwater::desktop
