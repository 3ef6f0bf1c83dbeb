#pragma once

#include <optional>
#include <vector>

#include "app/desktop/study/sweep/sweep_values.h"

/// Which cells of a sweep are shown, in which order, and which of them no other beats.
namespace highwater::desktop {

/// Values of a column, both ends included.
struct SweepRange {
    double low = 0, high = 0;
    bool holds(double value) const { return value >= low && value <= high; }
    bool operator==(const SweepRange&) const = default;
};

/// What the cells shown have in common. The brushes of the parallel coordinates, the menu of values and the
/// check boxes write into one and the same filter.
struct SweepFilter {
    /// By column, as SweepRows::coordinate(); a cell whose value is unknown is in no range. May be shorter
    /// than the columns.
    std::vector<std::optional<SweepRange>> ranges;
    std::vector<std::vector<bool>> without;  ///< by axis and level: not shown; may be shorter
    bool hideFailures = false;               ///< hides what ran out of memory, failed or cannot be run
    bool measuredOnly = false;               ///< hides cells without a measured figure

    bool empty() const { return *this == SweepFilter(); }
    bool lacks(std::size_t axis, int level) const;
    void setRange(std::size_t column, std::optional<SweepRange> range);
    std::optional<SweepRange> range(std::size_t column) const;
    void setWithout(std::size_t axis, int level, bool without);
    bool operator==(const SweepFilter&) const = default;
};

bool shows(const SweepFilter& filter, const SweepRows& rows, const SweepCell& cell);
/// Indices of the cells that are shown, in the order of the cells.
std::vector<int> shownCells(const SweepFilter& filter, const SweepRows& rows);
/// "batch_size 2 or 4; peak memory 1.0 to 3.5 GiB; without failures"; empty if all are shown.
QString filterText(const SweepFilter& filter, const SweepRows& rows);

/// Sorts indices of cells by a column; unknown values come last in both orders, equal ones stay in the
/// cells' order. The column SweepRows::columns() is the state.
void sortCells(std::vector<int>& cells, const SweepRows& rows, std::size_t column, Qt::SortOrder order);

/// Those of the cells that no other of them beats in both columns (see SweepRows::better()), by ascending
/// x. Measured cells are not held against estimated ones: the estimated count only if there is no measured
/// one. Empty if a column is an axis.
struct SweepFront {
    std::vector<int> cells;
    bool estimated = false;
};
SweepFront frontOf(const std::vector<int>& cells, const SweepRows& rows, std::size_t x, std::size_t y);

}  // namespace highwater::desktop
