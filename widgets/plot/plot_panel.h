#pragma once

#include <QPixmap>

#include "widgets/plot/chart.h"
#include "widgets/plot/legend.h"
#include "widgets/theme/panel.h"

namespace highwater::widgets {

/// A titled chart with its legend, and a context menu to copy it or save it as a picture.
class PlotPanel : public Panel {
    Q_OBJECT
public:
    /// `name` is for assistive technology and the suggested file name.
    PlotPanel(const QString& title, bool withLegend, QWidget* cardHost, QWidget* parent = nullptr);

    Chart& chart() { return *chart_; }
    const Chart& chart() const { return *chart_; }
    Legend* legend() { return legend_; }
    const Legend* legend() const { return legend_; }

    /// The panel as a picture at `scale` device pixels a point (at least the screen's own).
    QPixmap picture(double scale = 2.0);
    bool savePng(const QString& path, double scale = 2.0);

signals:
    /// Sent before a picture is taken, so that it shows the newest values.
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
