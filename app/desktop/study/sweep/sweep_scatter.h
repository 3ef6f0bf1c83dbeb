#pragma once

#include "app/desktop/study/sweep/sweep_chart.h"

namespace highwater::desktop {

/// The cells as points over any two columns. Measured cells are full, estimated ones rings, hidden ones
/// faint. Where both columns have a better end, the cells that no other beats in both are marked, with the
/// stairs above which others lie.
class SweepScatter : public SweepChart {
    Q_OBJECT
public:
    explicit SweepScatter(SweepLink& link, QWidget* parent = nullptr);
    /// Of the cells that are shown; computed when it is drawn.
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
