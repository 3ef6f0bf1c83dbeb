#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/study/statistics.h"
#include "core/study/sweep.h"

/// Factorial sweeps: the effects of toggles, and their interactions.
namespace highwater::study {

/// The effect of one axis, or the interaction of several. Effects are ratios, computed on the logarithmic
/// scale. The main effect is the geometric mean, over all combinations of the other axes, of y(on) / y(off).
/// The interaction of two is that ratio with the other axis on, divided by that with it off, to the power
/// 1/2, as in the usual +-1 coding (Montgomery, Design and Analysis of Experiments, ch. 6); 1 means no
/// interaction. An axis with more than two levels has an effect for each level after the first, compared with
/// the first. Intervals: 95 %, bootstrap over the repeats, which are blocks.
struct Effect {
    std::vector<std::size_t> axes;  ///< one: main effect; two: interaction
    std::vector<int> from, to;      ///< by axis of `axes`: the levels that are compared
    base::Interval memory, time;    ///< ratios; n = 0: unknown (cells are missing)
    bool memoryDiffers = false;     ///< the interval does not contain 1
    bool timeDiffers = false;
};

/// The result of a sweep.
struct SweepResult {
    Sweep sweep;
    std::vector<Cell> cells;
    std::vector<Measured> measured;  ///< one for each cell; an empty name if it was not run
    std::vector<std::size_t>
        front;                    ///< cells that no other cell of their device beats in both memory and time
    std::vector<Effect> effects;  ///< factorial: main effects, then interactions of two
    std::vector<std::string> notes;  ///< "4 of 16 combinations cannot be run: ..."
};

/// Spreads the measurements of the cells without a problem, given in their order, to a list with one entry
/// for each cell.
std::vector<Measured> byCell(const std::vector<Cell>& cells, std::vector<Measured> ofSubjects);

/// Computes front, effects and notes. `measured` has one entry for each cell. Effects need every cell to be
/// done. If some are missing, levels are left out, each time the one with the most missing cells, until all
/// remaining cells are done. Left-out levels, and axes with one level left, have no effect; a note says so.
/// A block is one repeat of all cells that are used. A device is a place (Measured::place) and the name of
/// its device; effects need all cells to be of one.
SweepResult evaluate(Sweep sweep, std::vector<Cell> cells, std::vector<Measured> measured);

/// "in-place", "in-place × separable", "batch_size 4 against 1".
std::string effectName(const Effect& effect, const Sweep& sweep);
/// "in-place: -18.2 % memory (-18.2 to -18.2), time within the noise (-1.2 to +2.4 %)".
std::string describe(const Effect& effect, const Sweep& sweep);
nlohmann::ordered_json toJson(const SweepResult& result);  ///< highwater.sweep-result/1
/// Reads what toJson() gives; front, effects and notes are computed anew. Error, one line that starts with
/// `name`, if a part is missing or wrong, or if the cells are not those of the sweep.
base::Result<SweepResult> parseSweepResult(std::string_view text, std::string_view name);

}  // namespace highwater::study
