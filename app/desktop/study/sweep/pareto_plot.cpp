#include "app/desktop/study/sweep/pareto_plot.h"

#include <QContextMenuEvent>
#include <QMenu>
#include <algorithm>
#include <cmath>

#include "app/desktop/study/factorial/combinations_model.h"
#include "core/base/text.h"
#include "widgets/plot/annotations.h"
#include "widgets/plot/hover_card.h"
#include "widgets/plot/plot_menu.h"
#include "widgets/theme/theme.h"

namespace highwater::desktop {

namespace {

constexpr double kRoom = 0.08;  ///< of an axis, beyond its first and last point
constexpr int kTickWidth = 76, kTickHeight = 42;

/// With some room at both ends, but not below 0.
widgets::AxisSpan widened(const widgets::AxisSpan& span) {
    if (span.to > span.from && (!span.log || span.from > 0)) {
        const widgets::AxisSpan wide{span.at(-kRoom), span.at(1 + kRoom), span.log};
        return {span.log ? wide.from : std::max(0.0, wide.from), wide.to, span.log};
    }
    const double room = std::abs(span.to) * kRoom + 1e-9;
    return {std::max(span.log ? span.to / 2 + 1e-9 : 0.0, span.from - room), span.to + room, span.log};
}

widgets::DataPoint pointAt(const CombinationRow& row, int id) {
    const bool spread = row.stepMs.n > 1;
    return {static_cast<double>(row.peak), row.stepMs.median, spread ? row.stepMs.low : row.stepMs.median,
            spread ? row.stepMs.high : row.stepMs.median, id};
}

QString titled(const QString& what, const std::string& unit) {
    return unit.empty() ? what : QObject::tr("%1, %2").arg(what, QString::fromStdString(unit));
}

}  // namespace

ParetoPlot::ParetoPlot(QWidget* parent)
    : widgets::XyChart(parent), card_(new widgets::HoverCardWidget(this)) {
    setMinimumSize(240, 160);
    setAccessibleName(tr("Memory against time of every combination"));
    connect(this, &widgets::XyChart::pointHovered, this, &ParetoPlot::showCard);
    connect(this, &widgets::XyChart::pointClicked, this, &ParetoPlot::rowClicked);
}

void ParetoPlot::setRows(std::vector<CombinationRow> rows) {
    rows_ = std::move(rows);
    current_ = -1;
    QStringList front;
    for (const CombinationRow& row : rows_) {
        if (row.front) {
            front << row.name;
        }
    }
    setAccessibleDescription(front.isEmpty() ? QString() : tr("Pareto front: %1").arg(front.join("; ")));
    fitAxes();
    hover(-1);
}

void ParetoPlot::setCurrent(int row) {
    current_ = row;
    refresh();
}

void ParetoPlot::setLogarithmic(bool on) {
    log_ = on;
    fitAxes();
}

const CombinationRow* ParetoPlot::measured(int row) const {
    const bool known = row >= 0 && row < static_cast<int>(rows_.size());
    return known && rows_[static_cast<std::size_t>(row)].measured ? &rows_[static_cast<std::size_t>(row)]
                                                                  : nullptr;
}

void ParetoPlot::fitAxes() {
    widgets::AxisSpan bytes{HUGE_VAL, 0, log_}, ms{HUGE_VAL, 0, log_};
    for (int row = 0; row < static_cast<int>(rows_.size()); ++row) {
        if (const CombinationRow* r = measured(row)) {
            const widgets::DataPoint point = pointAt(*r, row);
            bytes.from = std::min(bytes.from, point.x);
            bytes.to = std::max(bytes.to, point.x);
            ms.from = std::min({ms.from, point.low, point.y});
            ms.to = std::max({ms.to, point.high, point.y});
        }
    }
    if (bytes.from == HUGE_VAL) {
        bytes = ms = {};
    }
    setAxes(widened(bytes), widened(ms));
    const QFontMetricsF small(widgets::chartFont(font()));
    const int left = static_cast<int>(std::ceil(small.horizontalAdvance(QStringLiteral("0.00000")))) + 22;
    const int line = static_cast<int>(std::ceil(small.height()));
    setMargins(QMargins(left, line + 12, 24, 2 * line + 12));
    refresh();
}

std::optional<QPointF> ParetoPlot::pointOf(int row) const {
    const CombinationRow* r = measured(row);
    const widgets::PlotFrame f = frame();
    return r ? std::optional(QPointF(f.pixelX(static_cast<double>(r->peak)), f.pixelY(r->stepMs.median)))
             : std::nullopt;
}

widgets::HoverCard ParetoPlot::cardOf(int row) const {
    widgets::HoverCard card;
    if (const CombinationRow* r = measured(row)) {
        card.title = r->name;
        card.note = r->front ? tr("Pareto: none beats it in both") : QString();
        card.rows.push_back({{}, tr("memory"), QString::fromStdString(base::formatBytes(r->peak))});
        card.rows.push_back({{}, tr("step ms"), timeText(r->stepMs)});
    }
    return card;
}

QString ParetoPlot::data() const {
    std::vector<QStringList> table = {{"combination", "peak memory (bytes)", "step (ms)", "low (ms)",
                                       "high (ms)", "repeats", "Pareto front"}};
    for (int row = 0; row < static_cast<int>(rows_.size()); ++row) {
        if (const CombinationRow* r = measured(row)) {
            const base::Interval& ms = r->stepMs;
            table.push_back({r->name, QString::number(r->peak), widgets::exactly(ms.median),
                             widgets::exactly(ms.low), widgets::exactly(ms.high), QString::number(ms.n),
                             r->front ? "yes" : "no"});
        }
    }
    return widgets::tabbed(table);
}

widgets::ChartScene ParetoPlot::sceneOf(const widgets::PlotFrame& frame) const {
    widgets::ChartScene scene;
    scene.kind = widgets::ChartScene::Kind::Bars;
    addPoints(scene);
    if (scene.data.empty()) {
        scene.hint = tr("Nothing was measured");
        return scene;
    }
    const QRectF& axes = frame.rect;
    scene.gridX = true;
    scene.x = widgets::axisTicks(frame.x, widgets::Measure::Bytes,
                                 std::max(1, static_cast<int>(axes.width() / kTickWidth)));
    scene.y = widgets::axisTicks(frame.y, widgets::Measure::Millis,
                                 std::max(1, static_cast<int>(axes.height() / kTickHeight)));
    const double line = QFontMetricsF(widgets::chartFont(font())).height();
    const QColor muted = widgets::theme().mutedText;
    scene.captions.push_back({QRectF(axes.left(), axes.bottom() + line + 8, axes.width(), line),
                              Qt::AlignRight | Qt::AlignVCenter,
                              titled(tr("peak memory"), scene.x.unit) + tr(" (less is better)"), muted});
    scene.captions.push_back({QRectF(6, 2, width() - 12, line), Qt::AlignLeft | Qt::AlignVCenter,
                              titled(tr("time of a step"), scene.y.unit) + tr(" (less is better)"), muted});
    scene.y.unit.clear();  // the caption has it
    addFront(scene, frame);
    addNames(scene, frame);
    return scene;
}

void ParetoPlot::addPoints(widgets::ChartScene& scene) const {
    widgets::DataSeries others, front, rings;
    others.color = widgets::theme().mutedText;
    front.color = widgets::theme().accent;
    rings.kind = widgets::DataSeries::Kind::Rings;
    rings.color = widgets::theme().text;
    rings.size = 15;
    for (int row = 0; row < static_cast<int>(rows_.size()); ++row) {
        if (const CombinationRow* r = measured(row)) {
            (r->front ? front : others).points.push_back(pointAt(*r, row));
            if (row == current_ || row == hovered()) {
                rings.points.push_back(pointAt(*r, -1));
            }
        }
    }
    for (widgets::DataSeries& series :
         {std::ref(others), std::ref(front), std::ref(rings)}) {  // important series on top
        std::stable_sort(series.points.begin(), series.points.end(),
                         [](const widgets::DataPoint& a, const widgets::DataPoint& b) { return a.x < b.x; });
        if (!series.points.empty()) {
            scene.data.push_back(std::move(series));
        }
    }
}

/// Draws the Pareto front as stairs: points above and to the right of them are dominated.
void ParetoPlot::addFront(widgets::ChartScene& scene, const widgets::PlotFrame& frame) const {
    std::vector<widgets::DataPoint> points;
    for (int row = 0; row < static_cast<int>(rows_.size()); ++row) {
        if (const CombinationRow* r = measured(row); r && r->front) {
            points.push_back(pointAt(*r, row));
        }
    }
    if (points.empty()) {
        return;
    }
    std::sort(points.begin(), points.end(),
              [](const widgets::DataPoint& a, const widgets::DataPoint& b) { return a.x < b.x; });
    QColor color = widgets::theme().accent;
    color.setAlphaF(0.6F);
    widgets::Outline stairs{{}, std::max(frame.x.to, points.back().x), true, true, color};
    const double top = std::max(frame.y.to, points.front().y);
    stairs.points.push_back({points.front().x, top, top, top});
    for (const widgets::DataPoint& point : points) {
        stairs.points.push_back({point.x, point.y, point.y, point.y});
    }
    scene.outlines.push_back(std::move(stairs));
}

/// Names the first combination and the selected one.
void ParetoPlot::addNames(widgets::ChartScene& scene, const widgets::PlotFrame& frame) const {
    const QFontMetricsF metrics(widgets::chartFont(font()));
    for (const int row : current_ == 0 ? std::vector<int>{0} : std::vector<int>{0, current_}) {
        const CombinationRow* r = measured(row);
        const auto at = pointOf(row);
        if (!r || !at || !frame.rect.adjusted(-1, -1, 1, 1).contains(*at)) {
            continue;
        }
        const double toRight = width() - at->x() - 12, toLeft = at->x() - 10 - frame.rect.left();
        const QString name = metrics.elidedText(r->name, Qt::ElideRight, std::max(toRight, toLeft));
        const double wide = metrics.horizontalAdvance(name);
        scene.captions.push_back(
            {QRectF(wide <= toRight ? at->x() + 10 : at->x() - 10 - wide, at->y() - 20, wide + 2, 16),
             Qt::AlignLeft | Qt::AlignVCenter, name, widgets::theme().text});
    }
}

void ParetoPlot::showCard(int row) {
    const QPointF point = pointOf(row).value_or(QPointF());
    const bool inSight = frame().rect.adjusted(-1, -1, 1, 1).contains(point);
    card_->showCard(inSight ? cardOf(row) : widgets::HoverCard(), point.toPoint());
}

std::unique_ptr<QMenu> ParetoPlot::contextMenu() {
    hover(-1);
    auto menu = widgets::makePlotMenu(
        {*this, "memory-against-time", [this] { return data(); }, [this] { resetView(); }});
    QAction* log = menu->addAction(tr("Logarithmic axes"), this, &ParetoPlot::setLogarithmic);
    log->setCheckable(true);
    log->setChecked(log_);
    return menu;
}

void ParetoPlot::contextMenuEvent(QContextMenuEvent* event) {
    contextMenu()->exec(event->globalPos());
}

}  // namespace highwater::desktop

#include "moc_pareto_plot.cpp"
