#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/stack/experiment.h"
#include "core/study/trial.h"

/// Many experiments from one (contract: highwater.sweep/1).
namespace highwater::study {

/// One way in which the cells differ: values at one or more paths of the experiment, or a toggle (off and
/// on).
struct Axis {
    std::string name;                 ///< name in tables; default: the path's last part or the toggle
    std::vector<std::string> paths;   ///< JSON Pointers into the experiment, all set to the same value
    std::vector<std::string> values;  ///< JSON texts
    std::string toggle;               ///< instead of paths and values: levels "off" and "on"
    std::size_t levels() const { return toggle.empty() ? values.size() : 2; }
    bool operator==(const Axis&) const = default;
};

enum class SweepMode { Grid, Zip, Factorial };

struct Sweep {
    std::string name;
    stack::Experiment base;
    std::vector<Axis> axes;
    SweepMode mode = SweepMode::Grid;
    int repeats = 1;  ///< at least so many; a factorial needs at least 2 (default in a file: 3)
    bool interleave = true;
    std::filesystem::path folder;  ///< folder of relative paths among the values; empty: they stay relative
};

/// One combination.
struct Cell {
    std::vector<int> levels;         ///< by axis: the index of its value
    std::vector<std::string> words;  ///< by axis: its value as text, "off", "on", "2", "[64,64,64]"
    Subject subject;                 ///< its name is like "batch_size 2, in-place on"
    std::string problem;             ///< why this combination cannot be run; empty if it can
};

constexpr std::size_t kMostCells = 4096, kMostFactorialLevels = 16;

/// Parses a sweep strictly. Error, one line that starts with `name`, for an unknown key, an empty axis,
/// values of a zip that differ in number, a factorial axis without 2 to kMostFactorialLevels values,
/// or more than kMostCells cells. Paths in the base are relative to the file.
base::Result<Sweep> parseSweep(std::string_view text, std::string_view name,
                               const std::filesystem::path& folder);
base::Result<Sweep> loadSweep(const std::filesystem::path& path);
nlohmann::ordered_json toJson(const Sweep& sweep);
/// Checks the same rules for a sweep that was not parsed. The Error starts with the place: "/axes/1/values:
/// ...".
base::Status checkSweep(const Sweep& sweep);
/// The default name of an axis: the path's last part ("batch_size", "size/0"), or the toggle.
std::string defaultName(const Axis& axis);
/// The value of an axis at a level as text: "off", "on", "2", "bf16".
std::string levelWord(const Axis& axis, int level);

/// With one repeat: only that one. Otherwise repeats until every time is known well enough, at most three
/// times as many.
TrialOptions trialOptions(const Sweep& sweep);

/// All combinations; the last axis varies fastest. Values are set first, then toggles are switched on in the
/// order of toggles(). A combination is a cell with a problem if it is not a valid experiment, if its toggles
/// undo each other, or if the device does not support it. Error: that of checkSweep.
base::Result<std::vector<Cell>> expand(const Sweep& sweep, bool cuda);

}  // namespace highwater::study
