#include "app/desktop/prediction/plan/plan_curve_plot.h"

#include <QContextMenuEvent>
#include <QKeyEvent>
#include <QMenu>
#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "widgets/plot/annotations.h"
#include "widgets/plot/hover_card.h"
#include "widgets/plot/memory_scene.h"
#include "widgets/plot/plot_menu.h"
#include "widgets/theme/theme.h"

namespace highwater::desktop {

namespace {

constexpr int kTickWidth = 76, kTickHeight = 42;
constexpr double kRoom = 0.07;   ///< of an axis, beyond its first and last point
constexpr double kReach = 0.35;  ///< of the curve's width: how far beyond it the budget is still in view

double percent(const PlanPoint& point) {
    return 100 * point.slower;
}

/// "+20 %"; 0 for the unchanged experiment.
void labelPercents(widgets::Ticks& ticks) {
    for (widgets::Tick& tick : ticks.ticks) {
        tick.label = std::abs(tick.at) < 1e-9 ? QObject::tr("unchanged").toStdString()
                                              : (tick.at > 0 ? "+" : "") + tick.label + " %";
    }
}

}  // namespace

PlanCurvePlot::PlanCurvePlot(QWidget* parent)
    : widgets::XyChart(parent), card_(new widgets::HoverCardWidget(this)) {
    setMinimumSize(240, 150);
    setAccessibleName(tr("Memory against time of every plan"));
    connect(this, &widgets::XyChart::pointHovered, this, &PlanCurvePlot::showCard);
    connect(this, &widgets::XyChart::pointClicked, this, [this](int id) {
        if (known(id)) {
            emit planClicked(id);
        }
    });
    fitAxes();
}

void PlanCurvePlot::setCurve(PlanCurveValues curve) {
    curve_ = std::move(curve);
    chosen_ = -1;
    fitAxes();
    hover(-1);
}

void PlanCurvePlot::setChosen(int point) {
    chosen_ = point;
    refresh();
    showCard();
}

void PlanCurvePlot::setHint(const QString& hint) {
    hint_ = hint;
    refresh();
}

void PlanCurvePlot::fitAxes() {
    const QFontMetricsF small(widgets::chartFont(font()));
    const int line = static_cast<int>(std::ceil(small.height()));
    setMargins(QMargins(static_cast<int>(std::ceil(small.horizontalAdvance(tr("unchanged")))) + 20, 8, 20,
                        2 * line + 12));
    if (!curve_.points.empty()) {
        double left = static_cast<double>(curve_.asItIs.peak), right = left, low = 0, high = 0;
        for (const PlanPoint& point : curve_.points) {
            left = std::min(left, static_cast<double>(point.peak));
            right = std::max(right, static_cast<double>(point.peak));
            low = std::min(low, percent(point));
            high = std::max(high, percent(point));
        }
        const double reach = kReach * std::max(right - left, 0.02 * right);
        const auto budget = static_cast<double>(curve_.budget);
        if (budget > left - reach && budget < right + reach) {
            left = std::min(left, budget);
            right = std::max(right, budget);
        }
        const double wide = std::max(right - left, 0.02 * right), tall = std::max(high - low, 10.0);
        // The names of the devices are above the curve.
        setAxes({left - kRoom * wide, right + kRoom * wide, false},
                {low - 1.5 * kRoom * tall, high + 3 * kRoom * tall, false});
    }
    refresh();
}

QPointF PlanCurvePlot::placeOf(int point) const {
    const widgets::PlotFrame f = frame();
    const PlanPoint& at = curve_.points[static_cast<std::size_t>(point)];
    return {f.pixelX(static_cast<double>(at.peak)), f.pixelY(percent(at))};
}

widgets::HoverCard PlanCurvePlot::cardOf(int point) const {
    widgets::HoverCard card;
    if (known(point)) {
        const PlanPoint& plan = curve_.points[static_cast<std::size_t>(point)];
        card.title = plan.time.isEmpty()
                         ? widgets::bytesText(plan.peak)
                         : QStringLiteral("%1 · %2").arg(widgets::bytesText(plan.peak), plan.time);
        card.note = plan.basis;
    }
    return card;
}

QString PlanCurvePlot::data() const {
    std::vector<QStringList> table = {{"plan", "peak (bytes)", "slower (%)", "step", "rests on"}};
    for (const PlanPoint& point : curve_.points) {
        table.push_back({point.changes.isEmpty() ? tr("unchanged") : point.changes.join("; "),
                         QString::number(point.peak), widgets::exactly(percent(point)), point.time,
                         point.basis});
    }
    return widgets::tabbed(table);
}

widgets::ChartScene PlanCurvePlot::sceneOf(const widgets::PlotFrame& frame) const {
    widgets::ChartScene scene;
    scene.kind = widgets::ChartScene::Kind::Bars;
    if (curve_.points.empty()) {
        scene.hint = hint_;
        return scene;
    }
    const QRectF& axes = frame.rect;
    scene.x = widgets::axisTicks(frame.x, widgets::Measure::Bytes,
                                 std::max(1, static_cast<int>(axes.width() / kTickWidth)));
    scene.y = widgets::axisTicks(frame.y, widgets::Measure::Number,
                                 std::max(1, static_cast<int>(axes.height() / kTickHeight)));
    labelPercents(scene.y);
    const double line = QFontMetricsF(widgets::chartFont(font())).height();
    const QString unit = QString::fromStdString(scene.x.unit);
    scene.captions.push_back({QRectF(axes.left(), axes.bottom() + line + 8, axes.width(), line),
                              Qt::AlignRight | Qt::AlignVCenter, tr("peak, %1 %2").arg(unit, curve_.measure),
                              widgets::theme().mutedText});
    addDevices(scene);
    addStairs(scene);
    addPoints(scene, frame);
    return scene;
}

void PlanCurvePlot::addDevices(widgets::ChartScene& scene) const {
    if (curve_.budget > 0) {
        scene.uprights.push_back(
            {static_cast<double>(curve_.budget),
             QStringLiteral("%1 · %2").arg(curve_.budgetName, widgets::bytesText(curve_.budget)),
             widgets::theme().warning, false});
    }
    for (const PlanCapacity& device : curve_.capacities) {
        scene.uprights.push_back(
            {static_cast<double>(device.bytes),
             QStringLiteral("%1 · %2").arg(device.name, widgets::bytesText(device.bytes)),
             widgets::theme().mutedText, true});
    }
}

/// A plan is the best from its memory on, up to the next one, which takes less time.
void PlanCurvePlot::addStairs(widgets::ChartScene& scene) const {
    widgets::Outline stairs{{}, 0, true, false, widgets::theme().accent};
    for (const PlanPoint& point : curve_.points) {
        stairs.points.push_back(
            {static_cast<double>(point.peak), percent(point), percent(point), percent(point)});
    }
    stairs.end = static_cast<double>(std::max(curve_.asItIs.peak, curve_.points.back().peak));
    scene.outlines.push_back(std::move(stairs));
}

void PlanCurvePlot::addPoints(widgets::ChartScene& scene, const widgets::PlotFrame& frame) const {
    const auto at = [](const PlanPoint& point, int id) {
        const double y = percent(point);
        return widgets::DataPoint{static_cast<double>(point.peak), y, y, y, id};
    };
    widgets::DataSeries plans, ring, before;
    plans.color = widgets::theme().accent;
    for (int i = 0; i < static_cast<int>(curve_.points.size()); ++i) {
        plans.points.push_back(at(curve_.points[static_cast<std::size_t>(i)], i));
    }
    before.kind = ring.kind = widgets::DataSeries::Kind::Rings;
    before.color = widgets::theme().mutedText;
    before.size = 10;
    before.points.push_back(at(curve_.asItIs, -1));
    ring.color = widgets::theme().text;
    ring.size = 17;
    for (const int point : {chosen_, hovered()}) {
        if (known(point) && ring.points.empty()) {
            ring.points.push_back(at(curve_.points[static_cast<std::size_t>(point)], -1));
        }
    }
    scene.data = {plans, before, ring};
    const double line = QFontMetricsF(widgets::chartFont(font())).height();
    const QPointF place(frame.pixelX(before.points[0].x), frame.pixelY(before.points[0].y));
    scene.captions.push_back({QRectF(place.x() - 104, place.y() + 3, 100, line),
                              Qt::AlignRight | Qt::AlignVCenter, tr("unchanged"),
                              widgets::theme().mutedText});
}

/// The card of the plan under the pointer, or of the selected one; above the curve, which falls to the right.
void PlanCurvePlot::showCard() {
    const int point = known(hovered()) ? hovered() : chosen_;
    const bool inSight = known(point) && frame().rect.adjusted(-2, -2, 2, 2).contains(placeOf(point));
    if (!inSight) {
        return card_->showCard({}, {});
    }
    constexpr int kAbove = 64;
    card_->showCard(cardOf(point), placeOf(point).toPoint() - QPoint(0, kAbove));
}

void PlanCurvePlot::keyPressEvent(QKeyEvent* event) {
    const int by = event->key() == Qt::Key_Left ? -1 : event->key() == Qt::Key_Right ? 1 : 0;
    if (by == 0) {
        return widgets::XyChart::keyPressEvent(event);
    }
    if (known(chosen_ + by)) {
        emit planClicked(chosen_ + by);
    }
}

void PlanCurvePlot::resizeEvent(QResizeEvent* event) {
    widgets::XyChart::resizeEvent(event);
    showCard();
}

void PlanCurvePlot::contextMenuEvent(QContextMenuEvent* event) {
    widgets::makePlotMenu({*this, "memory-against-time", [this] { return data(); }, [this] { resetView(); }})
        ->exec(event->globalPos());
}

}  // namespace highwater::desktop

#include "moc_plan_curve_plot.cpp"
