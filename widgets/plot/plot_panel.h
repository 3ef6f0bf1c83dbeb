#pragma once

#include <QPixmap>
#include <functional>
#include <memory>

#include "widgets/plot/chart.h"
#include "widgets/plot/legend.h"
#include "widgets/theme/panel.h"

class QMenu;

namespace highwater::widgets {

/// A titled chart with its legend. A context menu copies it or its data, saves it as a picture and resets its
/// view.
class PlotPanel : public Panel {
    Q_OBJECT
public:
    /// `title` is also the name for screen readers and part of the suggested file name.
    PlotPanel(const QString& title, bool withLegend, QWidget* cardHost, QWidget* parent = nullptr);

    Chart& chart() { return *chart_; }
    const Chart& chart() const { return *chart_; }
    const Legend* legend() const { return legend_; }
    /// Sets the entries of the legend; only for a panel that has one.
    void setLegend(std::vector<SeriesStyle> entries);
    /// Sets the minimum height of the chart. The legend is hidden first.
    void setLeastChart(int height);

    /// The panel as a picture with `scale` device pixels per logical pixel (at least the screen's own ratio).
    QPixmap picture(double scale = 2.0);
    bool savePng(const QString& path, double scale = 2.0);

    /// Sets the function that makes the table for "Copy data" (see tabbed()). Must be called once.
    void setData(std::function<QString()> data) { data_ = std::move(data); }
    /// The panel's context menu. It ends with the actions of this widget (QWidget::actions()).
    std::unique_ptr<QMenu> contextMenu();

signals:
    /// Emitted before a picture is taken, so that the owner can bring the plot up to date.
    void aboutToPicture();

protected:
    void resizeEvent(QResizeEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    void prepare();
    void fitLegend();

    Chart* chart_;
    Legend* legend_ = nullptr;
    std::function<QString()> data_;
};

}  // namespace highwater::widgets
