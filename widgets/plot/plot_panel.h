#pragma once

#include <QPixmap>

#include "widgets/plot/chart.h"
#include "widgets/plot/legend.h"
#include "widgets/theme/panel.h"

namespace highwater::widgets {

/// A titled chart with its legend. A context menu copies it or saves it as a picture.
class PlotPanel : public Panel {
    Q_OBJECT
public:
    /// `title` is also the name for screen readers and part of the suggested file name.
    PlotPanel(const QString& title, bool withLegend, QWidget* cardHost, QWidget* parent = nullptr);

    Chart& chart() { return *chart_; }
    const Chart& chart() const { return *chart_; }
    Legend* legend() { return legend_; }
    const Legend* legend() const { return legend_; }

    /// The panel as a picture with `scale` device pixels per logical pixel (at least the screen's own ratio).
    QPixmap picture(double scale = 2.0);
    bool savePng(const QString& path, double scale = 2.0);

signals:
    /// Emitted before a picture is taken, so that the owner can bring the plot up to date.
    void aboutToPicture();

protected:
    void resizeEvent(QResizeEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    void saveAs();

    Chart* chart_;
    Legend* legend_ = nullptr;
};

}  // namespace highwater::widgets
