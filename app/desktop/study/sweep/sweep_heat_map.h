#pragma once

#include "app/desktop/study/sweep/sweep_chart.h"

namespace highwater::desktop {

/// Two axes of the sweep as a grid of tiles, colored by a figure: the larger, the stronger. If several shown
/// cells share a tile, it represents the best of them. Tiles of estimates are hatched; if no cell could be
/// run, the tile says so. The arrow keys go from tile to tile.
class SweepHeatMap : public SweepChart {
    Q_OBJECT
public:
    explicit SweepHeatMap(SweepLink& link, QWidget* parent = nullptr);
    void setFigure(SweepFigure figure);
    SweepFigure figure() const { return figure_; }
    /// The cell that the tile of these levels represents, or -1.
    int cellOf(int xLevel, int yLevel) const;

protected:
    widgets::ChartScene sceneOf(const widgets::PlotFrame& frame) const override;
    void fitAxes() override;
    QPointF placeOf(int cell) const override;
    int idAt(const QPointF& position) const override;
    void keyPressEvent(QKeyEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    int levels(std::size_t column) const;
    QColor color(double value) const;
    void addTiles(widgets::ChartScene& scene, const widgets::PlotFrame& frame) const;
    SweepFigure figure_ = SweepFigure::Memory;
    std::vector<int> cells_;       ///< by y level and x level
    double least_ = 0, most_ = 0;  ///< of the tiles
    bool shared_ = false;          ///< some tile represents several cells
};

}  // namespace highwater::desktop
