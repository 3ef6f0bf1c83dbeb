#include "app/desktop/study/sweep/sweep_chart.h"

#include <QContextMenuEvent>
#include <QMenu>
#include <QMouseEvent>

#include "app/desktop/study/sweep/sweep_card.h"
#include "widgets/plot/annotations.h"
#include "widgets/plot/hover_card.h"
#include "widgets/plot/plot_menu.h"
#include "widgets/theme/theme.h"

namespace highwater::desktop {

SweepChart::SweepChart(SweepLink& link, const QString& fileName, QWidget* parent)
    : widgets::XyChart(parent), link_(link), card_(new widgets::HoverCardWidget(this)), fileName_(fileName) {
    connect(&link_, &SweepLink::axesChanged, this, [this] { x_ = y_ = 0; });
    connect(&link_, &SweepLink::shownChanged, this, &SweepChart::renew);
    connect(&link_, &SweepLink::currentChanged, this, [this] {
        if (isVisible()) {
            refresh();
        }
    });
    connect(this, &widgets::XyChart::pointHovered, this, &SweepChart::showCard);
    connect(this, &widgets::XyChart::pointClicked, this, [this](int cell) {
        cell == link_.current() && hasFocus() ? link_.open(cell) : link_.setCurrent(cell);
    });
}

void SweepChart::setColumns(std::size_t x, std::size_t y) {
    x_ = x;
    y_ = y;
    resetView();
    renew();
}

void SweepChart::renew() {
    stale_ = true;
    if (isVisible()) {
        stale_ = false;
        fitAxes();
        refresh();
    }
}

void SweepChart::showEvent(QShowEvent* event) {
    widgets::XyChart::showEvent(event);
    if (stale_) {
        renew();
    }
}

/// The names of the axes: below the right end, and above the left end.
void SweepChart::addTitles(widgets::ChartScene& scene, const widgets::PlotFrame& frame) const {
    const SweepRows& rows = link_.rows();
    const auto titled = [&](std::size_t column, const widgets::Ticks& ticks) {
        const QString unit = QString::fromStdString(ticks.unit);
        const QString name = rows.columnTitle(column) + (unit.isEmpty() ? QString() : ", " + unit);
        return rows.better(column) < 0   ? tr("%1 (less is better)").arg(name)
               : rows.better(column) > 0 ? tr("%1 (more is better)").arg(name)
                                         : name;
    };
    const double line = QFontMetricsF(widgets::chartFont(font())).height();
    const QRectF& axes = frame.rect;
    scene.captions.push_back({QRectF(axes.left(), axes.bottom() + line + 8, axes.width(), line),
                              Qt::AlignRight | Qt::AlignVCenter, titled(x_, scene.x),
                              widgets::theme().mutedText});
    scene.captions.push_back({QRectF(6, 2, width() - 12, line), Qt::AlignLeft | Qt::AlignVCenter,
                              titled(y_, scene.y), widgets::theme().mutedText});
    scene.y.unit.clear();  // the caption has it
}

void SweepChart::showCard(int cell) {
    link_.setHovered(cell);
    const SweepCell* of = link_.cell(cell);
    if (of == nullptr) {
        return card_->showCard({}, {});
    }
    const QPointF at = placeOf(cell);
    const widgets::PlotFrame f = frame();
    card_->showCard(sweepCard(link_.rows(), *of), QPointF(f.pixelX(at.x()), f.pixelY(at.y())).toPoint());
}

QString SweepChart::data() const {
    return sweepData(link_.rows(), link_.shown());
}

void SweepChart::mouseDoubleClickEvent(QMouseEvent* event) {
    if (const int cell = idAt(event->position()); cell >= 0 && event->button() == Qt::LeftButton) {
        link_.open(cell);
        return;
    }
    widgets::XyChart::mouseDoubleClickEvent(event);
}

std::unique_ptr<QMenu> SweepChart::contextMenu() {
    hover(-1);
    return widgets::makePlotMenu({*this, fileName_, [this] { return data(); }, [this] { resetView(); }});
}

void SweepChart::contextMenuEvent(QContextMenuEvent* event) {
    contextMenu()->exec(event->globalPos());
}

}  // namespace highwater::desktop

#include "moc_sweep_chart.cpp"
