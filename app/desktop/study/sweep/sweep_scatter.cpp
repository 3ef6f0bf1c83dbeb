#include "app/desktop/study/sweep/sweep_scatter.h"

#include <algorithm>
#include <cmath>

#include "widgets/plot/annotations.h"
#include "widgets/theme/theme.h"

namespace highwater::desktop {

namespace {

constexpr double kScatterRoom = 0.06;  ///< of an axis, beyond its first and last point
constexpr double kTickWide = 76, kTickHigh = 42;
constexpr std::size_t kManyPoints = 1000;  ///< more points are drawn smaller
constexpr std::size_t kWhiskers = 200;     ///< up to this number of points, intervals are drawn

}  // namespace

SweepScatter::SweepScatter(SweepLink& link, QWidget* parent)
    : SweepChart(link, QStringLiteral("scatter"), parent) {
    setAccessibleName(tr("Two columns of the sweep's cells as points"));
}

QPointF SweepScatter::placeOf(int cell) const {
    const SweepRows& rows = link_.rows();
    const SweepCell& of = rows.cells[static_cast<std::size_t>(cell)];
    return {rows.coordinate(of, x_), rows.coordinate(of, y_)};
}

void SweepScatter::fitAxes() {
    front_ = {};
    if (!ready()) {
        return setAxes({}, {});
    }
    const SweepRows& rows = link_.rows();
    const auto span = [&](std::size_t column) {
        if (rows.isAxis(column)) {
            return rows.extent(column);
        }
        const auto [from, to, log] = rows.extent(column);
        const widgets::AxisSpan whole{from, to > from ? to : from + std::max(1e-9, std::abs(from) * 0.1),
                                      log};
        const double low = whole.at(-kScatterRoom);
        return widgets::AxisSpan{from >= 0 && !whole.log ? std::max(0.0, low) : low,
                                 whole.at(1 + kScatterRoom), whole.log};
    };
    setAxes(span(x_), span(y_));
    front_ = frontOf(link_.shown(), rows, x_, y_);
    const QFontMetricsF small(widgets::chartFont(font()));
    double left = small.horizontalAdvance(QStringLiteral("0.00000"));
    for (const QString& word : rows.isAxis(y_) ? rows.axes[y_].words : QStringList()) {
        left = std::max(left, small.horizontalAdvance(word));
    }
    const int line = static_cast<int>(std::ceil(small.height()));
    setMargins(QMargins(static_cast<int>(std::min(left, 160.0)) + 22, line + 12, 24, 2 * line + 12));
}

widgets::ChartScene SweepScatter::sceneOf(const widgets::PlotFrame& frame) const {
    widgets::ChartScene scene;
    scene.kind = widgets::ChartScene::Kind::Bars;
    if (!ready()) {
        scene.hint = tr("There are no cells.");
        return scene;
    }
    const SweepRows& rows = link_.rows();
    addPoints(scene);
    if (scene.data.empty()) {
        scene.hint =
            tr("No cell that is shown has both %1 and %2.").arg(rows.columnTitle(x_), rows.columnTitle(y_));
        return scene;
    }
    scene.gridX = true;
    scene.x = rows.ticks(x_, frame.x, static_cast<int>(frame.rect.width() / kTickWide));
    scene.y = rows.ticks(y_, frame.y, static_cast<int>(frame.rect.height() / kTickHigh));
    addTitles(scene, frame);
    addFront(scene, frame);
    return scene;
}

void SweepScatter::addPoints(widgets::ChartScene& scene) const {
    const SweepRows& rows = link_.rows();
    const widgets::Theme& t = widgets::theme();
    widgets::DataSeries hidden, estimated, measured, front, ring;
    const bool many = rows.cells.size() > kManyPoints;
    hidden.color = t.border;
    hidden.size = many ? 3 : 5;
    estimated.kind = widgets::DataSeries::Kind::Rings;
    estimated.color = t.mutedText;
    estimated.size = many ? 4 : 6;
    measured.color = t.mutedText;
    measured.size = many ? 5 : 7;
    front.color = t.accent;
    front.size = many ? 8 : 10;
    if (front_.estimated) {
        front.kind = widgets::DataSeries::Kind::Rings;
    }
    ring.kind = widgets::DataSeries::Kind::Rings;
    ring.color = t.text;
    ring.size = 16;
    std::vector<char> onFront(rows.cells.size(), 0);
    for (const int c : front_.cells) {
        onFront[static_cast<std::size_t>(c)] = 1;
    }
    const bool whiskers = rows.cells.size() <= kWhiskers && !rows.isAxis(y_);
    for (std::size_t c = 0; c < rows.cells.size(); ++c) {
        const int id = static_cast<int>(c);
        const SweepCell& cell = rows.cells[c];
        const QPointF at = placeOf(id);
        if (std::isnan(at.x()) || std::isnan(at.y())) {
            continue;
        }
        const SweepNumber number = rows.isAxis(y_) ? SweepNumber{} : cell.figure(rows.figureOf(y_));
        const bool spread = whiskers && number.low < number.high;
        const bool shown = link_.isShown(id);
        const bool guess = rows.estimated(cell, x_) || rows.estimated(cell, y_);
        const widgets::DataPoint point{at.x(), at.y(), spread ? number.low : at.y(),
                                       spread ? number.high : at.y(), shown ? id : -1};
        (!shown ? hidden : onFront[c] != 0 ? front : guess ? estimated : measured).points.push_back(point);
        if (id == link_.current() || id == hovered()) {
            ring.points.push_back({at.x(), at.y(), at.y(), at.y(), -1});
        }
    }
    for (widgets::DataSeries* series : {&hidden, &estimated, &measured, &front, &ring}) {
        std::stable_sort(series->points.begin(), series->points.end(),
                         [](const widgets::DataPoint& a, const widgets::DataPoint& b) { return a.x < b.x; });
        if (!series->points.empty()) {
            scene.data.push_back(std::move(*series));
        }
    }
}

/// Draws the Pareto front as stairs: cells on their far side are dominated.
void SweepScatter::addFront(widgets::ChartScene& scene, const widgets::PlotFrame& frame) const {
    if (front_.cells.empty()) {
        return;
    }
    const SweepRows& rows = link_.rows();
    QColor color = widgets::theme().accent;
    color.setAlphaF(0.6F);
    widgets::Outline stairs{{}, 0, false, front_.estimated, color};
    const auto add = [&](double x, double y) { stairs.points.push_back({x, y, y, y}); };
    const double worst = rows.better(y_) < 0 ? frame.y.to : frame.y.from;
    const bool less = rows.better(x_) < 0;
    double before = worst;
    std::vector<QPointF> points;
    for (const int c : front_.cells) {
        points.push_back(placeOf(c));
    }
    if (!less) {  // from the best x, the largest, to the left
        std::reverse(points.begin(), points.end());
    }
    for (const QPointF& point : points) {
        add(point.x(), before);
        add(point.x(), point.y());
        before = point.y();
    }
    add(less ? std::max(frame.x.to, points.back().x()) : std::min(frame.x.from, points.back().x()), before);
    if (!less) {
        std::reverse(stairs.points.begin(), stairs.points.end());
    }
    scene.outlines.push_back(std::move(stairs));
}

}  // namespace highwater::desktop

#include "moc_sweep_scatter.cpp"
