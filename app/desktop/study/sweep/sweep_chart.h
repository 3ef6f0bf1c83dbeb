#pragma once

#include <memory>

#include "app/desktop/study/sweep/sweep_link.h"
#include "widgets/plot/xy_chart.h"

class QMenu;

namespace highwater::widgets {
class HoverCardWidget;
}

namespace highwater::desktop {

/// The common base of scatter plot and heat map: two columns of a sweep as axes, the hover card, the shared
/// selection. The ids of drawn items are cells; a click selects one, a double-click or a second Return
/// requests its run. It draws only while it is visible.
class SweepChart : public widgets::XyChart {
    Q_OBJECT
public:
    SweepChart(SweepLink& link, const QString& fileName, QWidget* parent);
    /// The columns of the sweep along x and y.
    void setColumns(std::size_t x, std::size_t y);
    std::size_t xColumn() const { return x_; }
    std::size_t yColumn() const { return y_; }
    QString data() const;  ///< the displayed data as a table (see tabbed())
    std::unique_ptr<QMenu> contextMenu();
    QSize minimumSizeHint() const override { return {320, 180}; }

protected:
    virtual void fitAxes() = 0;
    virtual QPointF placeOf(int cell) const = 0;  ///< in the units of the axes
    bool ready() const {
        return !link_.rows().cells.empty() && x_ < link_.rows().columns() && y_ < link_.rows().columns();
    }
    void addTitles(widgets::ChartScene& scene, const widgets::PlotFrame& frame) const;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void renew();
    SweepLink& link_;
    std::size_t x_ = 0, y_ = 0;

private:
    void showCard(int cell);
    widgets::HoverCardWidget* card_;
    QString fileName_;
    bool stale_ = true;
};

}  // namespace highwater::desktop
