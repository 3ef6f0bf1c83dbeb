#include "widgets/plot/plot_panel.h"

#include <QContextMenuEvent>
#include <QMenu>
#include <QPainter>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "widgets/plot/picture.h"
#include "widgets/plot/plot_menu.h"
#include "widgets/theme/theme.h"

namespace highwater::widgets {
namespace {

constexpr int kRoomyChart = 96;  ///< minimum height of a chart with a legend below it

class Body : public QWidget {
public:
    using QWidget::QWidget;

protected:
    void paintEvent(QPaintEvent*) override { QPainter(this).fillRect(rect(), theme().panel); }
};

}  // namespace

PlotPanel::PlotPanel(const QString& title, bool withLegend, QWidget* cardHost, QWidget* parent)
    : Panel(title, parent) {
    auto* body = new Body(this);
    auto* column = new QVBoxLayout(body);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    chart_ = new Chart(cardHost, body);
    chart_->setAccessibleName(title);
    column->addWidget(chart_, 1);
    if (withLegend) {
        legend_ = new Legend(body);
        column->addWidget(legend_);
    }
    setBody(body);
}

void PlotPanel::resizeEvent(QResizeEvent* event) {
    Panel::resizeEvent(event);
    fitLegend();
}

void PlotPanel::setLegend(std::vector<SeriesStyle> entries) {
    legend_->setEntries(std::move(entries));
    fitLegend();
}

void PlotPanel::setLeastChart(int height) {
    chart_->setMinimumHeight(height);
    fitLegend();
}

void PlotPanel::fitLegend() {
    if (!legend_) {
        return;
    }
    // In a low panel, the legend is hidden in favor of the chart.
    const int room = height() - kHeaderHeight, least = chart_->minimumHeight();
    legend_->setDense(room < std::max(kRoomyChart, least) + legend_->heightForWidth(width(), false));
    legend_->setVisible(room >= least + legend_->heightForWidth(width()));
}

/// Shows the newest values and hides the crosshair.
void PlotPanel::prepare() {
    emit aboutToPicture();
    chart_->hideCrosshair();
}

QPixmap PlotPanel::picture(double scale) {
    prepare();
    return pictureOf(*this, scale);
}

bool PlotPanel::savePng(const QString& path, double scale) {
    return picture(scale).save(path, "PNG");
}

std::unique_ptr<QMenu> PlotPanel::contextMenu() {
    prepare();
    QString name = title().toLower();
    auto menu =
        makePlotMenu({*this, name.replace(' ', '-'), data_, [this] { emit chart_->resetRequested(); }});
    menu->addActions(actions());
    return menu;
}

void PlotPanel::contextMenuEvent(QContextMenuEvent* event) {
    contextMenu()->exec(event->globalPos());
}

}  // namespace highwater::widgets

#include "moc_plot_panel.cpp"
