#include "core/study/factorial.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <optional>

#include "core/base/text.h"

namespace highwater::study {

namespace {

bool isDone(const Measured& measured) {
    return measured.status == wire::RunStatus::Done && !measured.repeatMs.empty() &&
           measured.result.peakAllocated > 0;
}

class Design {
public:
    Design(const Sweep& sweep, const std::vector<Cell>& cells, const std::vector<Measured>& measured)
        : cells_(cells), measured_(measured) {
        for (const Axis& axis : sweep.axes) {
            levels_.emplace_back(axis.levels());
            std::iota(levels_.back().begin(), levels_.back().end(), 0);
        }
        while (const auto next = mostMissing()) {
            std::erase(levels_[next->first], next->second);
        }
        for (std::size_t c = 0; c < cells.size(); ++c) {
            if (inside(c)) {
                used_.push_back(c);
            }
        }
        blocks_ = used_.empty() ? 0 : measured[used_.front()].repeatMs.size();
        for (const std::size_t c : used_) {
            blocks_ = std::min(blocks_, measured[c].repeatMs.size());
        }
    }

    /// The levels of an axis that are compared; the others are compared with the first.
    const std::vector<int>& levels(std::size_t axis) const { return levels_[axis]; }

    Effect effect(const std::vector<std::size_t>& axes, const std::vector<int>& to) const {
        Effect effect{axes, {}, to, {}, {}, false, false};
        bool known = blocks_ > 0;
        for (std::size_t i = 0; i < axes.size(); ++i) {
            const std::vector<int>& left = levels_[axes[i]];
            effect.from.push_back(left.front());
            known = known && std::ranges::find(left, to[i]) != left.end();
        }
        if (!known) {
            return effect;
        }
        std::vector<double> times;
        for (std::size_t block = 0; block < blocks_; ++block) {
            times.push_back(contrast(effect, [&](std::size_t c) { return measured_[c].repeatMs[block]; }));
        }
        effect.time = ratioInterval(times);
        effect.timeDiffers = differsFromOne(effect.time);
        const double memory = contrast(
            effect, [&](std::size_t c) { return static_cast<double>(measured_[c].result.peakAllocated); });
        effect.memory = {memory, memory, memory, static_cast<int>(blocks_)};
        effect.memoryDiffers = std::abs(memory - 1) > 1e-9;
        return effect;
    }

private:
    bool inside(std::size_t cell) const {
        for (std::size_t a = 0; a < levels_.size(); ++a) {
            if (std::ranges::find(levels_[a], cells_[cell].levels[a]) == levels_[a].end()) {
                return false;
            }
        }
        return true;
    }

    /// The axis and level with the most missing cells (later levels first, earlier axes first). Returns
    /// std::nullopt if no cell is missing or every axis has one level left.
    std::optional<std::pair<std::size_t, int>> mostMissing() const {
        std::optional<std::pair<std::size_t, int>> best;
        std::size_t most = 0;
        for (std::size_t a = 0; a < levels_.size(); ++a) {
            for (std::size_t i = levels_[a].size(); i-- > 0 && levels_[a].size() > 1;) {
                const int level = levels_[a][i];
                std::size_t out = 0;
                for (std::size_t c = 0; c < cells_.size(); ++c) {
                    out += inside(c) && !isDone(measured_[c]) && cells_[c].levels[a] == level;
                }
                if (out > most) {
                    most = out;
                    best = {a, level};
                }
            }
        }
        return best;
    }

    /// exp(sum of +-log y / half the number of cells) over the cells at the levels that the effect compares,
    /// with + for cells in which an even number of its axes is at `from`.
    double contrast(const Effect& effect, const std::function<double(std::size_t)>& value) const {
        double sum = 0, count = 0;
        for (const std::size_t c : used_) {
            int sign = 1;
            for (std::size_t i = 0; i < effect.axes.size(); ++i) {
                const int level = cells_[c].levels[effect.axes[i]];
                sign *= level == effect.from[i] ? -1 : level == effect.to[i] ? 1 : 0;
            }
            sum += sign == 0 ? 0 : sign * std::log(value(c));
            count += std::abs(sign);
        }
        return std::exp(sum / (count / 2));
    }

    const std::vector<Cell>& cells_;
    const std::vector<Measured>& measured_;
    std::vector<std::vector<int>> levels_;  ///< by axis
    std::vector<std::size_t> used_;
    std::size_t blocks_ = 0;
};

/// The cells that are done, by the device that measured them: what others measured cannot be compared.
std::map<std::string, std::vector<std::size_t>> doneByDevice(const std::vector<Measured>& measured) {
    std::map<std::string, std::vector<std::size_t>> cells;
    for (std::size_t c = 0; c < measured.size(); ++c) {
        if (isDone(measured[c])) {
            const std::string& name = measured[c].result.environment.deviceName;
            const std::string& place = measured[c].place;
            cells[place.empty() ? name : fmt::format("{} ({})", name, place)].push_back(c);
        }
    }
    return cells;
}

std::vector<std::size_t> frontOf(const std::vector<Measured>& measured) {
    std::vector<std::size_t> front;
    for (const auto& [device, cells] : doneByDevice(measured)) {
        std::vector<Point> points;
        for (const std::size_t c : cells) {
            points.push_back(
                {static_cast<double>(measured[c].result.peakAllocated), measured[c].stepMs.median});
        }
        for (const std::size_t point : paretoFront(points)) {
            front.push_back(cells[point]);
        }
    }
    return front;
}

/// "measured on 2 devices, whose cells are not compared with each other: 6 on A (box), 6 on A (fox)"
void noteDevices(SweepResult& result) {
    const auto devices = doneByDevice(result.measured);
    if (devices.size() < 2) {
        return;
    }
    std::string list;
    for (const auto& [device, cells] : devices) {
        list += fmt::format("{}{} on {}", list.empty() ? "" : ", ", cells.size(), device);
    }
    result.notes.push_back(
        fmt::format("{} devices have measured it: {}; cells are compared with those of the same device",
                    devices.size(), base::oneLine(list, 400)));
}

/// Adds one note for each reason: "4 of 16 combinations cannot be run: inplace_abn: ...".
void noteMissing(SweepResult& result) {
    std::vector<std::pair<std::string, std::size_t>> reasons;
    for (std::size_t c = 0; c < result.cells.size(); ++c) {
        if (isDone(result.measured[c])) {
            continue;
        }
        const Measured& m = result.measured[c];
        const std::string why = !result.cells[c].problem.empty() ? "cannot be run: " + result.cells[c].problem
                                : m.status == wire::RunStatus::OutOfMemory ? "ran out of memory"
                                : m.status == wire::RunStatus::Cancelled   ? "were not measured: cancelled"
                                                                           : "failed: " + m.why;
        const auto found =
            std::find_if(reasons.begin(), reasons.end(), [&](const auto& r) { return r.first == why; });
        if (found == reasons.end()) {
            reasons.emplace_back(why, 1);
        } else {
            ++found->second;
        }
    }
    for (const auto& [why, count] : reasons) {
        result.notes.push_back(
            fmt::format("{} of {} combinations {}", count, result.cells.size(), base::oneLine(why, 300)));
    }
}

void noteLeftOut(SweepResult& result, const Design& design) {
    for (std::size_t a = 0; a < result.sweep.axes.size(); ++a) {
        const Axis& axis = result.sweep.axes[a];
        const std::vector<int>& left = design.levels(a);
        if (left.size() == 1) {
            result.notes.push_back(fmt::format(
                "the effect of {} is unknown because combinations are missing; the other effects are those "
                "at {} {}",
                axis.name, axis.name, levelWord(axis, left.front())));
            continue;
        }
        for (int level = 0; level < static_cast<int>(axis.levels()); ++level) {
            if (std::ranges::find(left, level) == left.end()) {
                result.notes.push_back(
                    fmt::format("the effects leave out {} {} because combinations are missing", axis.name,
                                levelWord(axis, level)));
            }
        }
    }
}

/// The levels of an axis whose effects are listed: all but the one that they are compared with.
std::vector<int> comparedLevels(const Sweep& sweep, const Design& design, std::size_t axis) {
    std::vector<int> levels(sweep.axes[axis].levels());
    std::iota(levels.begin(), levels.end(), 0);
    std::erase(levels, design.levels(axis).front());
    return levels;
}

void addEffects(SweepResult& result) {
    const Design design(result.sweep, result.cells, result.measured);
    const std::size_t axes = result.sweep.axes.size();
    std::vector<std::vector<int>> compared;
    for (std::size_t a = 0; a < axes; ++a) {
        compared.push_back(comparedLevels(result.sweep, design, a));
        for (const int level : compared[a]) {
            result.effects.push_back(design.effect({a}, {level}));
        }
    }
    for (std::size_t a = 0; a < axes; ++a) {
        for (std::size_t b = a + 1; b < axes; ++b) {
            for (const int first : compared[a]) {
                for (const int second : compared[b]) {
                    result.effects.push_back(design.effect({a, b}, {first, second}));
                }
            }
        }
    }
    if (std::any_of(result.effects.begin(), result.effects.end(),
                    [](const Effect& effect) { return effect.time.n > 0; })) {
        noteLeftOut(result, design);
    }
}

std::string percent(double ratio) {
    const std::string text = fmt::format("{:+.1f}", 100 * (ratio - 1));
    return text == "-0.0" ? "+0.0" : text;
}

std::string change(std::string_view what, const base::Interval& ratio, bool differs, bool interaction) {
    if (ratio.n == 0) {
        return fmt::format("{} not known", what);
    }
    if (ratio.low == ratio.high && !differs && std::abs(ratio.median - 1) <= 1e-9) {
        return fmt::format("{} {}", what, interaction ? "none" : "unchanged");
    }
    if (!differs) {
        return fmt::format("{} within the noise ({} to {} %)", what, percent(ratio.low), percent(ratio.high));
    }
    return fmt::format("{} % {} ({} to {})", percent(ratio.median), what, percent(ratio.low),
                       percent(ratio.high));
}

}  // namespace

SweepResult evaluate(Sweep sweep, std::vector<Cell> cells, std::vector<Measured> measured) {
    measured.resize(cells.size());
    SweepResult result{std::move(sweep), std::move(cells), std::move(measured), {}, {}, {}};
    for (std::size_t c = 0; c < result.cells.size(); ++c) {
        if (Measured& m = result.measured[c]; m.name.empty()) {
            m.status = wire::RunStatus::Cancelled;
        }
    }
    result.front = frontOf(result.measured);
    noteMissing(result);
    noteDevices(result);
    if (result.sweep.mode != SweepMode::Factorial) {
        return result;
    }
    if (doneByDevice(result.measured).size() < 2) {
        addEffects(result);
    } else {
        result.notes.push_back(
            "the effects are unknown because more than one device measured the combinations");
    }
    return result;
}

std::vector<Measured> byCell(const std::vector<Cell>& cells, std::vector<Measured> ofSubjects) {
    std::vector<Measured> all(cells.size());
    std::size_t next = 0;
    for (std::size_t c = 0; c < cells.size() && next < ofSubjects.size(); ++c) {
        if (cells[c].problem.empty()) {
            all[c] = std::move(ofSubjects[next++]);
        }
    }
    return all;
}

std::string effectName(const Effect& effect, const Sweep& sweep) {
    std::string name;
    for (std::size_t i = 0; i < effect.axes.size(); ++i) {
        const Axis& axis = sweep.axes[effect.axes[i]];
        name += (name.empty() ? "" : " × ") + axis.name;
        if (axis.toggle.empty()) {
            name +=
                fmt::format(" {} against {}", levelWord(axis, effect.to[i]), levelWord(axis, effect.from[i]));
        }
    }
    return name;
}

std::string describe(const Effect& effect, const Sweep& sweep) {
    const bool interaction = effect.axes.size() > 1;
    return fmt::format("{}: {}, {}", effectName(effect, sweep),
                       change("memory", effect.memory, effect.memoryDiffers, interaction),
                       change("time", effect.time, effect.timeDiffers, interaction));
}

}  // namespace highwater::study
