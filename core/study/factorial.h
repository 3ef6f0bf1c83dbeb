#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/study/statistics.h"
#include "core/study/sweep.h"

/// Toggles, not one at a time: how they act, and how they act together.
namespace highwater::study {

/// What an axis (two axes: their interaction; more, theirs) does. Ratios on the logarithmic scale of the
/// 2^k design: the main effect is the geometric mean over all combinations of the others of y(on) / y(off);
/// the interaction is the ratio of that ratio with the other on to that with the other off, to the power
/// 1/2, as in the usual +-1 coding (Montgomery, Design and Analysis of Experiments, ch. 6); 1: none.
/// Intervals: 95 %, bootstrap over the repeats, which are blocks.
struct Effect {
    std::vector<std::size_t> axes;  ///< one: main effect; two: interaction
    base::Interval memory, time;    ///< ratios; n = 0: not known (cells are missing)
    bool memoryDiffers = false;     ///< the interval does not hold 1
    bool timeDiffers = false;
};

/// The result of a sweep.
struct SweepResult {
    Sweep sweep;
    std::vector<Cell> cells;
    std::vector<Measured> measured;  ///< a cell: empty name where it was not run
    std::vector<std::size_t> front;  ///< cells no other beats in both memory and time
    std::vector<Effect> effects;     ///< factorial: main effects, then interactions of two
    std::vector<std::string> notes;  ///< "4 of 16 combinations cannot be run: ..."
};

/// What was measured of the subjects of all cells without a problem, in their order, as a list with an entry
/// a cell.
std::vector<Measured> byCell(const std::vector<Cell>& cells, std::vector<Measured> ofSubjects);

/// Front, effects and notes of what was measured (an entry a cell). Effects need every cell done: where some
/// are missing, those axes alone are left out whose contrast needs them (a note says so): as few as it takes
/// are held at one level, at which all cells are there. A block is one repeat of all cells that are used.
SweepResult evaluate(Sweep sweep, std::vector<Cell> cells, std::vector<Measured> measured);

std::string effectName(const Effect& effect, const Sweep& sweep);  ///< "in-place", "in-place × separable"
/// "in-place: -18.2 % memory (-18.2 to -18.2), time within the noise (-1.2 to +2.4 %)".
std::string describe(const Effect& effect, const Sweep& sweep);
nlohmann::ordered_json toJson(const SweepResult& result);  ///< highwater.sweep-result/1

}  // namespace highwater::study
