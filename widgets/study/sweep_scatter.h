#pragma once

#include "widgets/study/sweep_chart.h"

namespace highwater::widgets {

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
    ChartScene sceneOf(const PlotFrame& frame) const override;
    void fitAxes() override;
    QPointF placeOf(int cell) const override;

private:
    void addPoints(ChartScene& scene) const;
    void addFront(ChartScene& scene, const PlotFrame& frame) const;
    SweepFront front_;
};

}  // namespace highwater::widgets
