#include "app/desktop/study/sweep/sweep_heat_map.h"

#include <QKeyEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "widgets/plot/annotations.h"
#include "widgets/theme/theme.h"

namespace highwater::desktop {

namespace {

constexpr int kMostTileTexts = 400;
constexpr double kTileWordWide = 64, kTileWordHigh = 20;
constexpr double kLegendWidth = 110, kLegendHeight = 9;

QColor mixed(const QColor& a, const QColor& b, double part) {
    const auto of = [&](int from, int to) {
        return static_cast<int>(std::lround(from + part * (to - from)));
    };
    return {of(a.red(), b.red()), of(a.green(), b.green()), of(a.blue(), b.blue())};
}

QColor ramp(double part) {
    return mixed(mixed(widgets::theme().panel, widgets::theme().accent, 0.14), widgets::theme().accent,
                 std::clamp(part, 0.0, 1.0));
}

QColor readableOn(const QColor& ground) {
    const double light = 0.299 * ground.red() + 0.587 * ground.green() + 0.114 * ground.blue();
    return light > 140 ? QColor(20, 22, 26) : QColor(245, 246, 248);
}

}  // namespace

SweepHeatMap::SweepHeatMap(SweepLink& link, QWidget* parent)
    : SweepChart(link, QStringLiteral("heat-map"), parent) {
    setAccessibleName(tr("Two axes of the sweep as a grid, colored by a figure"));
}

void SweepHeatMap::setFigure(SweepFigure figure) {
    figure_ = figure;
    renew();
}

int SweepHeatMap::levels(std::size_t column) const {
    return static_cast<int>(link_.rows().axes[column].words.size());
}

QPointF SweepHeatMap::placeOf(int cell) const {
    const SweepCell& of = link_.rows().cells[static_cast<std::size_t>(cell)];
    return {static_cast<double>(of.levels[x_]), static_cast<double>(of.levels[y_])};
}

int SweepHeatMap::cellOf(int xLevel, int yLevel) const {
    if (!ready() || xLevel < 0 || yLevel < 0 || xLevel >= levels(x_) || yLevel >= levels(y_)) {
        return -1;
    }
    const auto at = static_cast<std::size_t>(yLevel) * static_cast<std::size_t>(levels(x_)) +
                    static_cast<std::size_t>(xLevel);
    return at < cells_.size() ? cells_[at] : -1;
}

/// Selects the cell of each tile: measured before estimated before failed, then the better figure.
void SweepHeatMap::fitAxes() {
    const SweepRows& rows = link_.rows();
    cells_.clear();
    shared_ = false;
    if (!ready() || !rows.isAxis(x_) || !rows.isAxis(y_)) {
        return setAxes({}, {});
    }
    const std::size_t column = rows.columnOf(figure_);
    const auto rank = [&](const SweepCell& cell) {
        return std::isnan(rows.coordinate(cell, column)) || cell.failed() ? 2
               : rows.estimated(cell, column)                             ? 1
                                                                          : 0;
    };
    const auto wide = static_cast<std::size_t>(levels(x_));
    cells_.assign(wide * static_cast<std::size_t>(levels(y_)), -1);
    for (const int c : link_.shown()) {
        const SweepCell& cell = rows.cells[static_cast<std::size_t>(c)];
        int& now = cells_[static_cast<std::size_t>(cell.levels[y_]) * wide +
                          static_cast<std::size_t>(cell.levels[x_])];
        shared_ |= now >= 0;
        const SweepCell* old = link_.cell(now);
        const double sign = -rows.better(column);
        if (old == nullptr || rank(cell) < rank(*old) ||
            (rank(cell) == rank(*old) &&
             sign * rows.coordinate(cell, column) < sign * rows.coordinate(*old, column))) {
            now = c;
        }
    }
    least_ = HUGE_VAL;
    most_ = -HUGE_VAL;
    for (const int c : cells_) {
        const SweepCell* cell = link_.cell(c);
        if (cell != nullptr && rank(*cell) < 2) {
            least_ = std::min(least_, rows.coordinate(*cell, column));
            most_ = std::max(most_, rows.coordinate(*cell, column));
        }
    }
    setAxes(rows.extent(x_), rows.extent(y_));
    const QFontMetricsF small(widgets::chartFont(font()));
    double left = 0;
    for (const QString& word : rows.axes[y_].words) {
        left = std::max(left, small.horizontalAdvance(word));
    }
    const int line = static_cast<int>(std::ceil(small.height()));
    setMargins(QMargins(static_cast<int>(std::min(left, 160.0)) + 22, line + 14, 24, 2 * line + 12));
}

QColor SweepHeatMap::color(double value) const {
    return ramp(most_ > least_ ? (value - least_) / (most_ - least_) : 0.5);
}

widgets::ChartScene SweepHeatMap::sceneOf(const widgets::PlotFrame& frame) const {
    widgets::ChartScene scene;
    scene.kind = widgets::ChartScene::Kind::Bars;
    const SweepRows& rows = link_.rows();
    if (!ready()) {
        scene.hint = tr("There are no cells.");
    } else if (rows.axes.size() < 2) {
        scene.hint = tr("A heat map needs two axes, and this sweep has one.");
    } else if (x_ == y_ || !rows.isAxis(x_) || !rows.isAxis(y_)) {
        scene.hint = tr("Choose two different axes.");
    } else if (link_.shown().empty()) {
        scene.hint = tr("The filter shows no cell.");
    }
    if (!scene.hint.isEmpty()) {
        return scene;
    }
    scene.x = rows.ticks(x_, frame.x, static_cast<int>(frame.rect.width() / kTileWordWide));
    scene.y = rows.ticks(y_, frame.y, static_cast<int>(frame.rect.height() / kTileWordHigh));
    addTitles(scene, frame);
    addTiles(scene, frame);
    return scene;
}

void SweepHeatMap::addTiles(widgets::ChartScene& scene, const widgets::PlotFrame& frame) const {
    const SweepRows& rows = link_.rows();
    const std::size_t column = rows.columnOf(figure_);
    const widgets::Theme& t = widgets::theme();
    const QFontMetricsF metrics(widgets::chartFont(font()));
    const double wide = frame.rect.width() / (frame.x.to - frame.x.from);
    const double high = frame.rect.height() / (frame.y.to - frame.y.from);
    int texts = 0;
    const auto box = [&](int x, int y, double room) {
        return QRectF(x - 0.5 + room, y - 0.5 + room, 1 - 2 * room, 1 - 2 * room);
    };
    for (const int c : cells_) {
        const SweepCell* cell = link_.cell(c);
        if (cell == nullptr) {
            continue;
        }
        const int x = cell->levels[x_], y = cell->levels[y_];
        const double value = rows.coordinate(*cell, column);
        const bool known = !std::isnan(value) && !cell->failed();
        QColor ground = known ? color(value) : cell->failed() ? mixed(t.panel, t.bad, 0.22) : t.header;
        const bool chosen = c == link_.current() || c == hovered();
        if (chosen) {  // an outline in the text color
            scene.tiles.push_back({box(x, y, 0), t.text, false});
        }
        const double rim = chosen ? std::min(0.2, 2.5 / std::max(1.0, std::min(wide, high))) : 0;
        scene.tiles.push_back({box(x, y, rim), ground, known && rows.estimated(*cell, column)});
        const QString text = known ? rows.text(*cell, column) : stateText(*cell);
        const QRectF place(frame.pixelX(x - 0.5), frame.pixelY(y + 0.5), wide, high);
        if (high >= metrics.height() && metrics.horizontalAdvance(text) + 6 <= wide &&
            texts < kMostTileTexts && frame.rect.adjusted(-1, -1, 1, 1).contains(place)) {
            ++texts;
            const QColor ink = known ? readableOn(ground) : t.text;
            scene.captions.push_back({place, Qt::AlignCenter, text, ink});
        }
    }
    if (most_ >= least_) {
        const double line = metrics.height();
        const QString low = figureNumber(figure_, least_), most = figureNumber(figure_, most_);
        const double right = width() - 24.0 - metrics.horizontalAdvance(most) - 6;
        const QString what = figureTitle(figure_) + (shared_ ? tr(", best of each tile") : QString());
        scene.captions.push_back({QRectF(right + 6, 3, width() - right, line),
                                  Qt::AlignLeft | Qt::AlignVCenter, most, t.mutedText});
        scene.captions.push_back({QRectF(0, 3, right - kLegendWidth - 6, line),
                                  Qt::AlignRight | Qt::AlignVCenter, what + "   " + low, t.mutedText});
    }
}

void SweepHeatMap::paintEvent(QPaintEvent* event) {
    SweepChart::paintEvent(event);
    if (!scene().hint.isEmpty() || most_ < least_) {
        return;
    }
    const QFontMetricsF metrics(widgets::chartFont(font()));
    const double right = width() - 24.0 - metrics.horizontalAdvance(figureNumber(figure_, most_)) - 6;
    const QRectF bar(right - kLegendWidth, 3 + (metrics.height() - kLegendHeight) / 2, kLegendWidth,
                     kLegendHeight);
    QLinearGradient gradient(bar.topLeft(), bar.topRight());
    gradient.setColorAt(0, ramp(0));
    gradient.setColorAt(1, ramp(1));
    QPainter painter(this);
    painter.fillRect(bar, gradient);
}

int SweepHeatMap::idAt(const QPointF& position) const {
    const widgets::PlotFrame f = frame();
    if (!f.rect.contains(position) || !scene().hint.isEmpty()) {
        return -1;
    }
    const double y = f.y.at((f.rect.bottom() - position.y()) / f.rect.height());
    return cellOf(static_cast<int>(std::lround(f.valueX(position.x()))), static_cast<int>(std::lround(y)));
}

void SweepHeatMap::keyPressEvent(QKeyEvent* event) {
    const int dx = event->key() == Qt::Key_Right ? 1 : event->key() == Qt::Key_Left ? -1 : 0;
    const int dy = event->key() == Qt::Key_Up ? 1 : event->key() == Qt::Key_Down ? -1 : 0;
    if ((dx == 0 && dy == 0) || cells_.empty()) {
        return SweepChart::keyPressEvent(event);
    }
    const SweepCell* now = link_.cell(hovered() >= 0 ? hovered() : link_.current());
    int x = now ? now->levels[x_] + dx : 0, y = now ? now->levels[y_] + dy : 0;
    while (x >= 0 && y >= 0 && x < levels(x_) && y < levels(y_)) {
        if (const int cell = cellOf(x, y); cell >= 0) {
            return hover(cell);
        }
        x += now ? dx : 1;
        y += now ? dy : 0;
    }
}

}  // namespace highwater::desktop

#include "moc_sweep_heat_map.cpp"
