#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace highwater::runs {

/// The study that a run was made for: a sweep, a factorial, a claim. Empty if it was run by itself.
struct Study {
    std::string id;
    std::string name;
    int cell = -1;           ///< which of a sweep's cells the run measures; -1: none
    int repeat = -1;         ///< which of the cell's repeats, from 0; -1: none
    std::string place = {};  ///< where it was measured: a host, "node n1 of HOST"; empty: on this machine
    bool operator==(const Study&) const = default;
};
/// A study of its own, with a new id.
Study newStudy(std::string_view name);

/// What people wrote about a run, and what it belongs to: labels.json in the run's folder. A run without that
/// file has none.
struct Labels {
    std::string name;               ///< instead of the experiment's; empty: the experiment's
    std::string note;               ///< one line
    std::vector<std::string> tags;  ///< short words, no two alike but for case
    Study study;
    bool operator==(const Labels&) const = default;
};

/// A sweep has at most so many cells, and each at most so many repeats.
inline constexpr int kMostParts = 1'000'000;
constexpr std::size_t kMostName = 200, kMostNote = 2000, kMostTag = 40, kMostTags = 20;  ///< bytes; tags

/// What to change of a run's labels; what is not given stays.
struct LabelChange {
    std::optional<std::string> name = {};  ///< empty: the experiment's name again
    std::optional<std::string> note = {};
    std::optional<std::vector<std::string>> tags = {};  ///< all of them
    std::vector<std::string> addTags = {}, removeTags = {};
    std::optional<std::string> place = {};  ///< Study::place
};

/// The labels after the change. Names and notes become one line. Error, one line, for a tag that is none or
/// too long a text.
base::Result<Labels> changed(Labels labels, const LabelChange& change);
/// The words of a line of tags, which blanks or commas separate: "paper, baseline". Error if one is no tag.
base::Result<std::vector<std::string>> parseTags(std::string_view line);

/// No labels if there is no file. Errors name the file.
base::Result<Labels> readLabels(const std::filesystem::path& runFolder);
/// Written to disk when it returns.
base::Status writeLabels(const std::filesystem::path& runFolder, const Labels& labels);

}  // namespace highwater::runs
