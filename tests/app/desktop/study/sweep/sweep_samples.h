#pragma once

#include <random>

#include "app/desktop/study/sweep/sweep_values.h"

namespace highwater::desktop::samples {

/// A grid with made-up figures that depend on the levels and some noise. Of a hundred cells about 70 are
/// measured, 15 estimated, 5 out of memory, 5 cannot be run, and 5 are unknown.
inline SweepRows randomSweep(unsigned seed, const std::vector<int>& levels) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> part(0, 1);
    SweepRows rows;
    std::size_t count = 1;
    for (std::size_t a = 0; a < levels.size(); ++a) {
        SweepAxis axis{QStringLiteral("axis %1").arg(a), {}};
        for (int level = 0; level < levels[a]; ++level) {
            axis.words << QString::number(1 << level % 20);
        }
        axis.words.removeDuplicates();
        count *= static_cast<std::size_t>(axis.words.size());
        rows.axes.push_back(std::move(axis));
    }
    for (std::size_t c = 0; c < count; ++c) {
        SweepCell cell;
        std::size_t rest = c;
        double size = 1;
        cell.levels.resize(rows.axes.size());
        for (std::size_t a = rows.axes.size(); a-- > 0;) {
            const auto n = static_cast<std::size_t>(rows.axes[a].words.size());
            cell.levels[a] = static_cast<int>(rest % n);
            rest /= n;
            size *= 1 + 0.4 * cell.levels[a];
            cell.name.prepend(rows.axes[a].name + ' ' + rows.axes[a].words[cell.levels[a]] +
                              (cell.name.isEmpty() ? "" : ", "));
        }
        const double chance = part(random);
        const bool guess = chance >= 0.7;
        const double peak = std::round(1e8 * size * (0.7 + 0.6 * part(random)));
        const double ms = 20 * size * (0.5 + part(random));
        if (chance < 0.85) {
            cell.state = guess ? CellState::NotRun : CellState::Done;
            cell.figures[0] = {peak, peak, peak, guess};
            cell.figures[1] = {ms, 0.98 * ms, 1.02 * ms, guess};
            cell.figures[2] = {8000 / ms, 7900 / ms, 8100 / ms, guess};
        } else if (chance < 0.95) {
            cell.state = chance < 0.9 ? CellState::OutOfMemory : CellState::CannotRun;
            cell.problem = QStringLiteral("why");
        }
        if (!guess) {
            const double loss = 0.2 + std::round(10 * part(random)) / 10;  // some are equal
            cell.figures[3] = {loss, loss, loss, false};
            cell.repeats = 3;
            cell.runs << QStringLiteral("run%1").arg(c);
        }
        rows.cells.push_back(std::move(cell));
    }
    return rows;
}

}  // namespace highwater::desktop::samples
