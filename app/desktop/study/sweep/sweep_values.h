#pragma once

#include <QString>
#include <QStringList>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "widgets/plot/ticks.h"

/// The values shown in the sweep window.
namespace highwater::desktop {

/// The figures of every cell, in the order of their columns.
enum class SweepFigure { Memory, Time, Throughput, Loss };
inline constexpr std::size_t kSweepFigures = 4;

/// NotRun: it can be run but has not been yet.
enum class CellState { NotRun, Running, Done, OutOfMemory, Failed, CannotRun };

/// A figure of a cell: bytes, milliseconds, samples per second, or the loss of the last step; NaN if unknown.
struct SweepNumber {
    double value = std::numeric_limits<double>::quiet_NaN();
    double low = value, high = value;  ///< its 95 % interval, if there is one
    bool estimated = false;            ///< predicted, not measured
    bool known() const { return !std::isnan(value); }
};

/// One way in which the cells differ.
struct SweepAxis {
    QString name;       ///< "batch_size"
    QStringList words;  ///< its values as text, by level
    bool operator==(const SweepAxis&) const = default;
};

/// One combination.
struct SweepCell {
    QString name;             ///< "batch_size 2, precision bf16"
    std::vector<int> levels;  ///< by axis: the index of its value
    CellState state = CellState::NotRun;
    QString problem;  ///< why it failed or cannot be run, one line
    std::array<SweepNumber, kSweepFigures> figures;
    int repeats = 0;   ///< finished runs
    QStringList runs;  ///< their ids
    const SweepNumber& figure(SweepFigure f) const { return figures[static_cast<std::size_t>(f)]; }
    bool failed() const {
        return state == CellState::OutOfMemory || state == CellState::Failed || state == CellState::CannotRun;
    }
};

struct SweepRows {
    QString title;
    std::vector<SweepAxis> axes;
    std::vector<SweepCell> cells;

    /// The axes, then the figures.
    std::size_t columns() const { return axes.size() + kSweepFigures; }
    bool isAxis(std::size_t column) const { return column < axes.size(); }
    std::size_t columnOf(SweepFigure figure) const { return axes.size() + static_cast<std::size_t>(figure); }
    SweepFigure figureOf(std::size_t column) const { return static_cast<SweepFigure>(column - axes.size()); }
    /// A level of an axis, counted from 0, or a figure; NaN if unknown.
    double coordinate(const SweepCell& cell, std::size_t column) const {
        return isAxis(column) ? cell.levels[column] : cell.figures[column - axes.size()].value;
    }
    bool estimated(const SweepCell& cell, std::size_t column) const {
        return !isAxis(column) && cell.figures[column - axes.size()].estimated;
    }
    QString columnTitle(std::size_t column) const;
    widgets::Measure measure(std::size_t column) const;
    /// The value on screen: "142 MiB", "≈ 12.3 ms" if it is estimated, "bf16", "—".
    QString text(const SweepCell& cell, std::size_t column) const;
    /// From the smallest to the largest known value; an axis has half a level more at both ends. If nothing
    /// is known, or all values are equal, `to` is not above `from`. Logarithmic if the largest value is more
    /// than 30 times the smallest.
    widgets::AxisSpan extent(std::size_t column) const;
    /// Ticks within the span: about `most` figures, or the words of an axis.
    widgets::Ticks ticks(std::size_t column, const widgets::AxisSpan& span, int most) const;
    /// Which of two numbers is better: -1 the smaller, 1 the larger, 0 neither.
    int better(std::size_t column) const;
};

/// "peak memory", "step", "samples a second", "last loss".
QString figureTitle(SweepFigure figure);
QString figureNumber(SweepFigure figure, double value);
/// "measured", "estimated", "running", "out of memory", "failed", "cannot be run", "not run".
QString stateText(const SweepCell& cell);
QString cellsText(std::size_t count);  ///< "1 cell", "1,200 cells"

}  // namespace highwater::desktop
