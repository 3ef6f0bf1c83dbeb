#include "app/desktop/study/sweep/sweep_filter.h"

#include <QObject>
#include <algorithm>

#include "core/base/pareto.h"

namespace highwater::desktop {

namespace {

bool measured(const SweepCell& cell) {
    return std::any_of(cell.figures.begin(), cell.figures.end(),
                       [](const SweepNumber& figure) { return figure.known() && !figure.estimated; });
}

QString rangeText(const SweepRange& range, const SweepRows& rows, std::size_t column) {
    if (!rows.isAxis(column)) {
        const SweepFigure figure = rows.figureOf(column);
        return QObject::tr("%1 %2 to %3")
            .arg(figureTitle(figure), figureNumber(figure, range.low), figureNumber(figure, range.high));
    }
    const SweepAxis& axis = rows.axes[column];
    const int from = std::max(0, static_cast<int>(std::ceil(range.low)));
    const int to =
        std::min(static_cast<int>(axis.words.size()) - 1, static_cast<int>(std::floor(range.high)));
    return from > to    ? QObject::tr("no %1").arg(axis.name)
           : from == to ? axis.name + ' ' + axis.words[from]
                        : QObject::tr("%1 %2 to %3").arg(axis.name, axis.words[from], axis.words[to]);
}

}  // namespace

bool SweepFilter::lacks(std::size_t axis, int level) const {
    return axis < without.size() && static_cast<std::size_t>(level) < without[axis].size() &&
           without[axis][static_cast<std::size_t>(level)];
}

std::optional<SweepRange> SweepFilter::range(std::size_t column) const {
    return column < ranges.size() ? ranges[column] : std::nullopt;
}

void SweepFilter::setRange(std::size_t column, std::optional<SweepRange> range) {
    ranges.resize(std::max(ranges.size(), column + 1));
    ranges[column] = range;
    while (!ranges.empty() && !ranges.back()) {
        ranges.pop_back();  // a filter without restrictions has no ranges
    }
}

void SweepFilter::setWithout(std::size_t axis, int level, bool out) {
    without.resize(std::max(without.size(), axis + 1));
    auto& levels = without[axis];
    levels.resize(std::max(levels.size(), static_cast<std::size_t>(level) + 1));
    levels[static_cast<std::size_t>(level)] = out;
    while (!levels.empty() && !levels.back()) {
        levels.pop_back();
    }
    while (!without.empty() && without.back().empty()) {
        without.pop_back();
    }
}

bool shows(const SweepFilter& filter, const SweepRows& rows, const SweepCell& cell) {
    if ((filter.hideFailures && cell.failed()) || (filter.measuredOnly && !measured(cell))) {
        return false;
    }
    for (std::size_t axis = 0; axis < filter.without.size(); ++axis) {
        if (filter.lacks(axis, cell.levels[axis])) {
            return false;
        }
    }
    for (std::size_t column = 0; column < filter.ranges.size(); ++column) {
        if (filter.ranges[column] && !filter.ranges[column]->holds(rows.coordinate(cell, column))) {
            return false;
        }
    }
    return true;
}

std::vector<int> shownCells(const SweepFilter& filter, const SweepRows& rows) {
    std::vector<int> shown;
    for (std::size_t c = 0; c < rows.cells.size(); ++c) {
        if (shows(filter, rows, rows.cells[c])) {
            shown.push_back(static_cast<int>(c));
        }
    }
    return shown;
}

QString filterText(const SweepFilter& filter, const SweepRows& rows) {
    QStringList parts;
    for (std::size_t axis = 0; axis < filter.without.size(); ++axis) {
        QStringList left;
        for (int level = 0; level < rows.axes[axis].words.size(); ++level) {
            if (!filter.lacks(axis, level)) {
                left << rows.axes[axis].words[level];
            }
        }
        if (left.size() < rows.axes[axis].words.size()) {
            parts << rows.axes[axis].name + ' ' + (left.isEmpty() ? QObject::tr("none") : left.join(", "));
        }
    }
    for (std::size_t column = 0; column < filter.ranges.size(); ++column) {
        if (filter.ranges[column]) {
            parts << rangeText(*filter.ranges[column], rows, column);
        }
    }
    if (filter.hideFailures) {
        parts << QObject::tr("without failures");
    }
    if (filter.measuredOnly) {
        parts << QObject::tr("measured only");
    }
    return parts.join(QStringLiteral("; "));
}

void sortCells(std::vector<int>& cells, const SweepRows& rows, std::size_t column, Qt::SortOrder order) {
    std::vector<double> keys(rows.cells.size());
    for (const int c : cells) {
        const auto at = static_cast<std::size_t>(c);
        const SweepCell& cell = rows.cells[at];
        keys[at] = column < rows.columns() ? rows.coordinate(cell, column) : static_cast<double>(cell.state);
    }
    const bool descending = order == Qt::DescendingOrder;
    std::stable_sort(cells.begin(), cells.end(), [&](int l, int r) {
        const double left = keys[static_cast<std::size_t>(l)], right = keys[static_cast<std::size_t>(r)];
        if (std::isnan(left) || std::isnan(right)) {
            return !std::isnan(left) && std::isnan(right);
        }
        return descending ? left > right : left < right;
    });
}

SweepFront frontOf(const std::vector<int>& cells, const SweepRows& rows, std::size_t x, std::size_t y) {
    if (rows.better(x) == 0 || rows.better(y) == 0 || x == y) {
        return {};
    }
    const auto front = [&](bool estimated) {
        std::vector<base::Point> points;
        std::vector<int> of;
        for (const int c : cells) {
            const SweepCell& cell = rows.cells[static_cast<std::size_t>(c)];
            const bool guess = rows.estimated(cell, x) || rows.estimated(cell, y);
            const double px = rows.coordinate(cell, x), py = rows.coordinate(cell, y);
            if (guess == estimated && !cell.failed() && !std::isnan(px) && !std::isnan(py)) {
                points.push_back({-rows.better(x) * px, -rows.better(y) * py});
                of.push_back(c);
            }
        }
        std::vector<int> best;
        for (const std::size_t point : base::paretoFront(points)) {
            best.push_back(of[point]);
        }
        if (rows.better(x) > 0) {
            std::reverse(best.begin(), best.end());
        }
        return best;
    };
    if (auto measured = front(false); !measured.empty()) {
        return {std::move(measured), false};
    }
    auto estimated = front(true);
    return {estimated, !estimated.empty()};
}

}  // namespace highwater::desktop
