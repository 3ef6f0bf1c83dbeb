#include "app/desktop/study/sweep/sweep_filter.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/app/desktop/study/sweep/sweep_samples.h"

namespace highwater::desktop {
namespace {

/// The meaning of a filter, implemented again in the simplest way.
bool plainlyShown(const SweepFilter& filter, const SweepRows& rows, const SweepCell& cell) {
    bool measured = false;
    for (std::size_t f = 0; f < kSweepFigures; ++f) {
        measured = measured || (cell.figures[f].known() && !cell.figures[f].estimated);
    }
    bool shown = !filter.measuredOnly || measured;
    if (filter.hideFailures) {
        shown = shown && cell.state != CellState::OutOfMemory && cell.state != CellState::Failed &&
                cell.state != CellState::CannotRun;
    }
    for (std::size_t axis = 0; axis < rows.axes.size(); ++axis) {
        if (axis < filter.without.size()) {
            const auto level = static_cast<std::size_t>(cell.levels[axis]);
            if (level < filter.without[axis].size() && filter.without[axis][level]) {
                shown = false;
            }
        }
    }
    for (std::size_t column = 0; column < filter.ranges.size(); ++column) {
        if (filter.ranges[column]) {
            const double value = column < rows.axes.size() ? cell.levels[column]
                                                           : cell.figures[column - rows.axes.size()].value;
            if (!(value >= filter.ranges[column]->low && value <= filter.ranges[column]->high)) {
                shown = false;
            }
        }
    }
    return shown;
}

SweepFilter randomFilter(std::mt19937& random, const SweepRows& rows) {
    const auto roll = [&](int sides) { return static_cast<int>(random() % static_cast<unsigned>(sides)); };
    SweepFilter filter;
    filter.hideFailures = roll(3) == 0;
    filter.measuredOnly = roll(4) == 0;
    for (std::size_t column = 0; column < rows.columns(); ++column) {
        if (roll(3) == 0) {
            // Ends that are values of cells, so that an end counts as inside.
            const double a = rows.coordinate(rows.cells[random() % rows.cells.size()], column);
            const double b = rows.coordinate(rows.cells[random() % rows.cells.size()], column);
            if (!std::isnan(a) && !std::isnan(b)) {
                filter.setRange(column, SweepRange{std::min(a, b), std::max(a, b)});
            }
        }
        if (rows.isAxis(column) && roll(3) == 0) {
            filter.setWithout(column, roll(static_cast<int>(rows.axes[column].words.size())), true);
        }
    }
    return filter;
}

TEST(SweepFilterTest, ShowsWhatAPlainLoopShows) {
    std::mt19937 random(7);
    std::size_t some = 0;
    for (unsigned seed = 0; seed < 60; ++seed) {
        const SweepRows rows = samples::randomSweep(seed, {2 + static_cast<int>(seed % 4), 3, 4});
        for (int i = 0; i < 10; ++i) {
            const SweepFilter filter = randomFilter(random, rows);
            std::vector<int> expected;
            for (std::size_t c = 0; c < rows.cells.size(); ++c) {
                if (plainlyShown(filter, rows, rows.cells[c])) {
                    expected.push_back(static_cast<int>(c));
                }
            }
            ASSERT_EQ(shownCells(filter, rows), expected) << filterText(filter, rows).toStdString();
            some += !expected.empty() && expected.size() < rows.cells.size();
            EXPECT_EQ(filterText(filter, rows).isEmpty(), filter.empty());
        }
    }
    EXPECT_GT(some, 200u) << "most filters show some of the cells";
}

TEST(SweepFilterTest, TheFrontIsWhatNoOtherBeats) {
    for (unsigned seed = 0; seed < 40; ++seed) {
        const SweepRows rows = samples::randomSweep(seed, {3, 4, 2});
        std::vector<int> all = shownCells({}, rows);
        for (std::size_t x = 0; x < rows.columns(); ++x) {
            for (std::size_t y = 0; y < rows.columns(); ++y) {
                const SweepFront front = frontOf(all, rows, x, y);
                if (rows.isAxis(x) || rows.isAxis(y) || x == y) {
                    EXPECT_TRUE(front.cells.empty());
                    continue;
                }
                const auto counts = [&](const SweepCell& cell) {
                    return cell.state == CellState::Done && !std::isnan(rows.coordinate(cell, x)) &&
                           !std::isnan(rows.coordinate(cell, y));
                };
                const auto noWorse = [&](double a, double b, std::size_t column) {
                    return rows.better(column) < 0 ? a <= b : a >= b;
                };
                std::vector<int> expected;
                for (const int c : all) {
                    const SweepCell& cell = rows.cells[static_cast<std::size_t>(c)];
                    const double cx = rows.coordinate(cell, x), cy = rows.coordinate(cell, y);
                    const bool beaten =
                        std::any_of(rows.cells.begin(), rows.cells.end(), [&](const SweepCell& o) {
                            const double ox = rows.coordinate(o, x), oy = rows.coordinate(o, y);
                            return counts(o) && noWorse(ox, cx, x) && noWorse(oy, cy, y) &&
                                   (ox != cx || oy != cy);
                        });
                    if (counts(cell) && !beaten) {
                        expected.push_back(c);
                    }
                }
                std::vector<int> found = front.cells;
                EXPECT_TRUE(std::is_sorted(found.begin(), found.end(), [&](int a, int b) {
                    return rows.coordinate(rows.cells[static_cast<std::size_t>(a)], x) <
                           rows.coordinate(rows.cells[static_cast<std::size_t>(b)], x);
                }));
                std::sort(found.begin(), found.end());
                ASSERT_EQ(found, expected) << seed << ": " << x << ", " << y;
                EXPECT_FALSE(front.estimated);
            }
        }
    }
}

TEST(SweepFilterTest, AnEstimateBeatsNoMeasurement) {
    SweepRows rows = samples::randomSweep(1, {2});
    const auto set = [&](std::size_t c, double peak, double ms, bool estimated) {
        rows.cells[c].state = estimated ? CellState::NotRun : CellState::Done;
        rows.cells[c].figures[0] = {peak, peak, peak, estimated};
        rows.cells[c].figures[1] = {ms, ms, ms, estimated};
    };
    set(0, 100, 10, false);
    set(1, 50, 5, true);
    EXPECT_EQ(frontOf({0, 1}, rows, 1, 2).cells, std::vector<int>{0});
    set(0, 100, 10, true);
    const SweepFront guessed = frontOf({0, 1}, rows, 1, 2);
    EXPECT_EQ(guessed.cells, std::vector<int>{1});
    EXPECT_TRUE(guessed.estimated);
}

TEST(SweepFilterTest, SortsByAnyColumnWithTheUnknownLast) {
    const SweepRows rows = samples::randomSweep(5, {5, 6, 4});
    for (std::size_t column = 0; column <= rows.columns(); ++column) {
        for (const Qt::SortOrder order : {Qt::AscendingOrder, Qt::DescendingOrder}) {
            std::vector<int> cells = shownCells({}, rows);
            const std::vector<int> before = cells;
            sortCells(cells, rows, column, order);
            const auto value = [&](int c) {
                const SweepCell& cell = rows.cells[static_cast<std::size_t>(c)];
                return column < rows.columns() ? rows.coordinate(cell, column)
                                               : static_cast<double>(cell.state);
            };
            for (std::size_t i = 1; i < cells.size(); ++i) {
                const double l = value(cells[i - 1]), r = value(cells[i]);
                EXPECT_FALSE(std::isnan(l) && !std::isnan(r));
                EXPECT_FALSE(order == Qt::AscendingOrder ? l > r : l < r);
                EXPECT_TRUE(l != r || cells[i - 1] < cells[i]) << "equal ones stay in order";
            }
            std::sort(cells.begin(), cells.end());
            EXPECT_EQ(cells, before) << "none is lost";
        }
    }
}

}  // namespace
}  // namespace highwater::desktop
