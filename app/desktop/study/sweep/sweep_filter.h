#pragma once

#include <optional>
#include <vector>

#include "app/desktop/study/sweep/sweep_values.h"

/// Which cells of a sweep are shown, their order, and the Pareto front.
namespace highwater::desktop {

/// Values of a column, inclusive.
struct SweepRange {
    double low = 0, high = 0;
    bool holds(double value) const { return value >= low && value <= high; }
    bool operator==(const SweepRange&) const = default;
};

/// The conditions that shown cells fulfill. The brushes of the parallel coordinates, the menu of values and
/// the check boxes all change this filter.
struct SweepFilter {
    /// By column, for SweepRows::coordinate(); an unknown value is in no range. May be shorter than the
    /// number of columns.
    std::vector<std::optional<SweepRange>> ranges;
    std::vector<std::vector<bool>> without;  ///< by axis and level: hidden; may be shorter
    bool hideFailures = false;               ///< hides cells that ran out of memory, failed or cannot be run
    bool measuredOnly = false;               ///< hides cells without a measured figure

    bool empty() const { return *this == SweepFilter(); }
    bool lacks(std::size_t axis, int level) const;
    void setRange(std::size_t column, std::optional<SweepRange> range);
    std::optional<SweepRange> range(std::size_t column) const;
    void setWithout(std::size_t axis, int level, bool without);
    bool operator==(const SweepFilter&) const = default;
};

bool shows(const SweepFilter& filter, const SweepRows& rows, const SweepCell& cell);
/// Indices of the shown cells, in the order of the cells.
std::vector<int> shownCells(const SweepFilter& filter, const SweepRows& rows);
/// "batch_size 2 or 4; peak memory 1.0 to 3.5 GiB; without failures"; empty if all are shown.
QString filterText(const SweepFilter& filter, const SweepRows& rows);

/// Sorts indices of cells by a column; unknown values come last in both orders, and equal ones keep the order
/// of the cells. The column SweepRows::columns() is the state.
void sortCells(std::vector<int>& cells, const SweepRows& rows, std::size_t column, Qt::SortOrder order);

/// The cells that no other cell beats in both columns (see SweepRows::better()), by ascending x. Measured and
/// estimated cells are not compared: the estimated ones are used only if there are no measured ones. Empty if
/// a column is an axis.
struct SweepFront {
    std::vector<int> cells;
    bool estimated = false;
};
SweepFront frontOf(const std::vector<int>& cells, const SweepRows& rows, std::size_t x, std::size_t y);

}  // namespace highwater::desktop
