#include "widgets/plot/plot_panel.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QFileDialog>
#include <QMenu>
#include <QMessageBox>
#include <QPainter>
#include <QVBoxLayout>
#include <algorithm>

#include "widgets/plot/canvas.h"
#include "widgets/theme/theme.h"

namespace highwater::widgets {
namespace {

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
    if (!legend_) {
        return;
    }
    const int legend = legend_->heightForWidth(width());
    legend_->setVisible(height() - kHeaderHeight >=
                        chart_->minimumHeight() + legend);  // a low panel is for the chart
}

QPixmap PlotPanel::picture(double scale) {
    emit aboutToPicture();
    const double ratio = std::max(scale, devicePixelRatioF());
    chart_->hideCrosshair();
    chart_->canvas().setPixelRatio(ratio);
    QPixmap pixmap(size() * ratio);
    pixmap.setDevicePixelRatio(ratio);
    pixmap.fill(theme().panel);
    render(&pixmap);
    chart_->canvas().setPixelRatio(0);
    return pixmap;
}

bool PlotPanel::savePng(const QString& path, double scale) {
    return picture(scale).save(path, "PNG");
}

void PlotPanel::saveAs() {
    QString name = title().toLower().replace(' ', '-') + QStringLiteral(".png");
    const QString path =
        QFileDialog::getSaveFileName(this, tr("Save picture"), name, tr("PNG picture (*.png)"));
    if (path.isEmpty()) {
        return;
    }
    if (!savePng(path)) {
        QMessageBox::warning(
            this, tr("Save picture"),
            tr("%1 cannot be written. Choose a folder you may write to, and a name that ends "
               "in .png.")
                .arg(path));
    }
}

void PlotPanel::contextMenuEvent(QContextMenuEvent* event) {
    QMenu menu(this);
    menu.addAction(tr("Copy"), this, [this] { QApplication::clipboard()->setPixmap(picture()); });
    menu.addAction(tr("Save picture…"), this, &PlotPanel::saveAs);
    menu.addSeparator();
    menu.addAction(tr("Show all"), chart_, &Chart::resetRequested);
    menu.exec(event->globalPos());
}

}  // namespace highwater::widgets

#include "moc_plot_panel.cpp"
