#pragma once

#include <QPixmap>
#include <functional>
#include <memory>

#include "widgets/plot/chart.h"
#include "widgets/plot/legend.h"
#include "widgets/theme/panel.h"

class QMenu;

namespace highwater::widgets {

/// A titled chart with its legend, and a context menu to copy it or its data, or to save it as a picture.
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

    /// What "Copy data" copies, as tabbed() makes it.
    void setData(std::function<QString()> data) { data_ = std::move(data); }
    /// The widget's own actions come last in it.
    std::unique_ptr<QMenu> contextMenu();

signals:
    /// Sent before a picture is taken, so that it shows the newest values.
    void aboutToPicture();

protected:
    void resizeEvent(QResizeEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    void prepare();

    Chart* chart_;
    Legend* legend_ = nullptr;
    std::function<QString()> data_;
};

}  // namespace highwater::widgets
