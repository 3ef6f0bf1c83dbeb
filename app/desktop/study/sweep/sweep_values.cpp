#include "app/desktop/study/sweep/sweep_values.h"

#include <QLocale>
#include <QObject>
#include <algorithm>

#include "app/desktop/study/study_words.h"

namespace highwater::desktop {

namespace {

constexpr double kLogFrom = 30;  ///< ratio of largest to smallest value from which a span is logarithmic

}  // namespace

QString SweepRows::columnTitle(std::size_t column) const {
    return isAxis(column) ? axes[column].name : figureTitle(figureOf(column));
}

widgets::Measure SweepRows::measure(std::size_t column) const {
    if (isAxis(column)) {
        return widgets::Measure::Number;
    }
    return figureOf(column) == SweepFigure::Memory ? widgets::Measure::Bytes
           : figureOf(column) == SweepFigure::Time ? widgets::Measure::Millis
                                                   : widgets::Measure::Number;
}

QString SweepRows::text(const SweepCell& cell, std::size_t column) const {
    if (isAxis(column)) {
        return axes[column].words.value(cell.levels[column]);
    }
    const SweepNumber& number = cell.figure(figureOf(column));
    if (!number.known()) {
        return QStringLiteral("—");
    }
    return (number.estimated ? QStringLiteral("≈ ") : QString()) +
           figureNumber(figureOf(column), number.value);
}

widgets::AxisSpan SweepRows::extent(std::size_t column) const {
    if (isAxis(column)) {
        return {-0.5, static_cast<double>(axes[column].words.size()) - 0.5, false};
    }
    double from = HUGE_VAL, to = -HUGE_VAL;
    for (const SweepCell& cell : cells) {
        if (const double value = coordinate(cell, column); !std::isnan(value)) {
            from = std::min(from, value);
            to = std::max(to, value);
        }
    }
    return from > to ? widgets::AxisSpan{0, 0, false}
                     : widgets::AxisSpan{from, to, from > 0 && to > kLogFrom * from};
}

widgets::Ticks SweepRows::ticks(std::size_t column, const widgets::AxisSpan& span, int most) const {
    if (!isAxis(column)) {
        return widgets::axisTicks(span, measure(column), std::max(1, most));
    }
    widgets::Ticks ticks;
    const QStringList& words = axes[column].words;
    const int every = std::max(1, static_cast<int>(std::ceil((span.to - span.from) / std::max(1, most))));
    for (int level = 0; level < words.size(); level += every) {
        if (level >= span.from && level <= span.to) {
            ticks.ticks.push_back({static_cast<double>(level), words[level].toStdString()});
        }
    }
    return ticks;
}

int SweepRows::better(std::size_t column) const {
    return isAxis(column) ? 0 : figureOf(column) == SweepFigure::Throughput ? 1 : -1;
}

QString figureTitle(SweepFigure figure) {
    switch (figure) {
        case SweepFigure::Memory:
            return QObject::tr("peak memory");
        case SweepFigure::Time:
            return QObject::tr("step");
        case SweepFigure::Throughput:
            return QObject::tr("samples per second");
        case SweepFigure::Loss:
            break;
    }
    return QObject::tr("last loss");
}

QString figureNumber(SweepFigure figure, double value) {
    return figureText(value, figure == SweepFigure::Memory ? "B" : figure == SweepFigure::Time ? "ms" : "");
}

QString stateText(const SweepCell& cell) {
    switch (cell.state) {
        case CellState::Running:
            return QObject::tr("running");
        case CellState::Done:
            return QObject::tr("measured");
        case CellState::OutOfMemory:
            return QObject::tr("out of memory");
        case CellState::Failed:
            return QObject::tr("failed");
        case CellState::CannotRun:
            return QObject::tr("cannot be run");
        case CellState::NotRun:
            break;
    }
    return cell.figure(SweepFigure::Memory).known() ? QObject::tr("estimated") : QObject::tr("not run");
}

QString cellsText(std::size_t count) {
    return count == 1 ? QObject::tr("1 cell")
                      : QObject::tr("%1 cells").arg(QLocale().toString(static_cast<int>(count)));
}

}  // namespace highwater::desktop
