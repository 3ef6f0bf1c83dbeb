#include "core/study/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/json_reader.h"
#include "core/base/text.h"
#include "core/stack/json/editable.h"
#include "core/stack/shapes.h"
#include "core/study/claim_experiments.h"
#include "core/study/toggles.h"

namespace highwater::study {

namespace {

using base::Error;
using base::Json;

constexpr int kMostRepeatsEach = 3;  // times Sweep::repeats

Error unknownToggle(const std::string& id) {
    std::vector<std::string_view> known;
    std::string all;
    for (const Toggle& toggle : toggles()) {
        known.push_back(toggle.id);
        all += (all.empty() ? "" : ", ") + std::string(toggle.id);
    }
    const std::string near = base::nearestWord(id, known);
    const std::string hint = near.empty() ? "there are " + all : fmt::format("did you mean \"{}\"?", near);
    return Error{fmt::format("there is no toggle \"{}\"; {}", base::oneLine(id, 60), hint)};
}

base::Status checkValues(const Axis& axis, SweepMode mode) {
    if (axis.paths.empty() || axis.values.empty()) {
        return Error{"has nothing to change; give a path with values, or a toggle"};
    }
    for (const std::string& path : axis.paths) {
        if (!path.starts_with('/') || path.size() < 2) {
            return Error{fmt::format("\"{}\" is not a JSON Pointer such as /step/batch_size",
                                     base::oneLine(path, 60))};
        }
    }
    for (const std::string& value : axis.values) {
        if (!Json::accept(value)) {
            return Error{fmt::format("the value {} is not JSON", base::oneLine(value, 60))};
        }
    }
    std::set<std::string_view> seen;
    for (const std::string& value : axis.values) {
        if (mode != SweepMode::Zip && !seen.insert(value).second) {
            return Error{fmt::format("the value {} is given twice", base::oneLine(value, 60))};
        }
    }
    if (mode == SweepMode::Factorial &&
        (axis.values.size() < 2 || axis.values.size() > kMostFactorialLevels)) {
        return Error{fmt::format(
            "a factorial's axis has 2 to {} values, not {}; a sweep with mode \"grid\" can have others",
            kMostFactorialLevels, axis.values.size())};
    }
    return {};
}

base::Status checkAxis(const Axis& axis, SweepMode mode) {
    if (axis.toggle.empty()) {
        return checkValues(axis, mode);
    }
    if (!axis.paths.empty() || !axis.values.empty()) {
        return Error{"has a toggle, which takes no paths and values"};
    }
    if (!findToggle(axis.toggle)) {
        return unknownToggle(axis.toggle);
    }
    return {};
}

/// Error if two axes have the same name or set the same place.
base::Status checkPairs(const std::vector<Axis>& axes) {
    std::map<std::string_view, std::size_t> names, places;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const auto [name, freshName] = names.try_emplace(axes[i].name, i);
        if (!freshName) {
            return Error{fmt::format("/axes/{}: is named \"{}\" as /axes/{} is; give it a name of its own", i,
                                     base::oneLine(axes[i].name, 60), name->second)};
        }
        std::vector<std::string_view> set(axes[i].paths.begin(), axes[i].paths.end());
        if (!axes[i].toggle.empty()) {
            set.push_back(axes[i].toggle);
        }
        for (const std::string_view place : set) {
            if (const auto [at, fresh] = places.try_emplace(place, i); !fresh) {
                return Error{fmt::format("/axes/{}: {} is already set by /axes/{}", i,
                                         base::oneLine(place, 60), at->second)};
            }
        }
    }
    return {};
}

/// The number of cells; kMostCells + 1 if there are more than kMostCells.
std::size_t cellCount(const Sweep& sweep) {
    if (sweep.mode == SweepMode::Zip) {
        return std::min(sweep.axes.front().levels(), kMostCells + 1);
    }
    std::size_t count = 1;
    for (const Axis& axis : sweep.axes) {
        count = std::min(count * std::min(axis.levels(), kMostCells + 1), kMostCells + 1);
    }
    return count;
}

std::vector<int> levelsOf(const Sweep& sweep, std::size_t cell) {
    std::vector<int> levels(sweep.axes.size(), static_cast<int>(cell));
    if (sweep.mode == SweepMode::Zip) {
        return levels;
    }
    for (std::size_t a = sweep.axes.size(); a-- > 0;) {
        levels[a] = static_cast<int>(cell % sweep.axes[a].levels());
        cell /= sweep.axes[a].levels();
    }
    return levels;
}

/// The toggles that are on in a cell, in the order of toggles().
std::vector<const Toggle*> togglesOn(const Sweep& sweep, const std::vector<int>& levels) {
    std::vector<const Toggle*> on;
    for (const Toggle& toggle : toggles()) {
        for (std::size_t a = 0; a < sweep.axes.size(); ++a) {
            if (sweep.axes[a].toggle == toggle.id && levels[a] == 1) {
                on.push_back(&toggle);
            }
        }
    }
    return on;
}

base::Result<stack::Experiment> switchOn(stack::Experiment experiment, const std::vector<const Toggle*>& on,
                                         bool cuda) {
    for (const Toggle* toggle : on) {
        if (cuda ? toggle->needsCpu : toggle->needsGpu) {
            return Error{fmt::format("{}: {}", toggle->id, cuda ? "has no effect on a GPU" : "needs a GPU")};
        }
        experiment = HIGHWATER_TRY(base::prefixed(toggle->id, toggle->apply(experiment)));
    }
    // A later toggle may have given an earlier one something new to change, or have undone it.
    const Toggle* undone = nullptr;
    for (int pass = 0; pass < 3; ++pass) {
        undone = nullptr;
        for (const Toggle* toggle : on) {
            if (auto again = toggle->apply(experiment); again && *again != experiment) {
                experiment = std::move(*again);
                undone = toggle;
            }
        }
        if (!undone) {
            return experiment;
        }
    }
    return Error{fmt::format("{} and another toggle of this combination undo each other", undone->id)};
}

base::Result<stack::Experiment> build(const Sweep& sweep, Json json, const std::vector<int>& levels,
                                      bool cuda) {
    for (std::size_t a = 0; a < sweep.axes.size(); ++a) {
        const Axis& axis = sweep.axes[a];
        if (axis.paths.empty()) {
            continue;  // a toggle
        }
        const auto value =
            HIGHWATER_TRY(base::parseJson(axis.values[static_cast<std::size_t>(levels[a])], axis.name));
        for (const std::string& path : axis.paths) {
            HIGHWATER_TRY(setAt(json, path, value));
        }
    }
    auto experiment = stack::experimentFromJson(json, "");
    if (!experiment) {
        return experiment;
    }
    if (!sweep.folder.empty()) {
        stack::resolvePaths(*experiment, sweep.folder);
    }
    HIGHWATER_TRY(stack::inferShapes(*experiment));
    experiment = switchOn(std::move(*experiment), togglesOn(sweep, levels), cuda);
    if (!experiment) {
        return experiment;
    }
    const auto info = HIGHWATER_TRY(stack::inferShapes(*experiment));
    HIGHWATER_TRY(stack::checkSupported(*experiment, info, cuda));
    return experiment;
}

Cell makeCell(const Sweep& sweep, const Json& base, std::size_t index, bool cuda) {
    Cell cell;
    cell.subject.cell = static_cast<int>(index);
    cell.levels = levelsOf(sweep, index);
    for (std::size_t a = 0; a < sweep.axes.size(); ++a) {
        cell.words.push_back(levelWord(sweep.axes[a], cell.levels[a]));
        cell.subject.name += fmt::format("{}{} {}", a > 0 ? ", " : "", sweep.axes[a].name, cell.words.back());
    }
    auto experiment = build(sweep, base, cell.levels, cuda);
    if (!experiment) {
        cell.problem = experiment.error().message;
        return cell;
    }
    cell.subject.experiment = std::move(*experiment);
    cell.subject.experiment.name = base::oneLine(cell.subject.name, 400);
    return cell;
}

}  // namespace

std::string levelWord(const Axis& axis, int level) {
    if (!axis.toggle.empty()) {
        return level == 0 ? "off" : "on";
    }
    const std::string& value = axis.values[static_cast<std::size_t>(level)];
    const auto json = base::parseJson(value, "value");
    return base::oneLine(json && json->is_string() ? json->get<std::string>() : value, 60);
}

std::string defaultName(const Axis& axis) {
    if (!axis.toggle.empty() || axis.paths.empty()) {
        return axis.toggle;
    }
    const std::string& path = axis.paths.front();
    std::size_t slash = path.rfind('/');
    if (slash == std::string::npos) {
        return path;
    }
    const bool number = path.find_first_not_of("0123456789", slash + 1) == std::string::npos;
    if (number && slash > 0) {
        slash = path.rfind('/', slash - 1);
    }
    return path.substr(slash == std::string::npos ? 0 : slash + 1);
}

base::Status checkSweep(const Sweep& sweep) {
    if (sweep.axes.empty()) {
        return Error{"/axes: is empty; give at least one axis"};
    }
    for (std::size_t i = 0; i < sweep.axes.size(); ++i) {
        if (const auto status = checkAxis(sweep.axes[i], sweep.mode); !status) {
            return Error{fmt::format("/axes/{}: {}", i, status.error().message)};
        }
        if (sweep.mode == SweepMode::Zip && sweep.axes[i].levels() != sweep.axes.front().levels()) {
            return Error{fmt::format("/axes/{}: a zip's axes have as many values each, {} as /axes/0, not {}",
                                     i, sweep.axes.front().levels(), sweep.axes[i].levels())};
        }
    }
    HIGHWATER_TRY(checkPairs(sweep.axes));
    if (cellCount(sweep) > kMostCells) {
        return Error{
            fmt::format("/axes: make more than {} combinations; leave out axes or values", kMostCells)};
    }
    if (sweep.repeats < (sweep.mode == SweepMode::Factorial ? 2 : 1)) {
        return Error{sweep.mode == SweepMode::Factorial
                         ? "/repeats: a factorial needs at least 2, so that its effects have an interval"
                         : "/repeats: must be at least 1"};
    }
    return {};
}

TrialOptions trialOptions(const Sweep& sweep) {
    TrialOptions options;
    options.repeatsLeast = sweep.repeats;
    options.repeatsMost = sweep.repeats == 1 ? 1 : kMostRepeatsEach * sweep.repeats;
    options.interleave = sweep.interleave;
    return options;
}

base::Result<std::vector<Cell>> expand(const Sweep& sweep, bool cuda) {
    HIGHWATER_TRY(checkSweep(sweep));
    const Json base = stack::toEditableJson(sweep.base);
    std::vector<Cell> cells;
    std::map<std::string, int> names;
    for (std::size_t index = 0; index < cellCount(sweep); ++index) {
        cells.push_back(makeCell(sweep, base, index, cuda));
        std::string& name = cells.back().subject.name;
        if (const int n = ++names[name]; n > 1) {  // a zip may have the same combination twice
            name += fmt::format(" ({})", n);
        }
    }
    return cells;
}

}  // namespace highwater::study
