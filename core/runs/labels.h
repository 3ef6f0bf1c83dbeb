#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace highwater::runs {

/// The study that a run belongs to: a sweep, a factorial, a claim. Empty for a single run.
struct Study {
    std::string id;
    std::string name;
    int cell = -1;           ///< the sweep's cell that the run measures; -1: none
    int repeat = -1;         ///< the repeat of that cell, from 0; -1: none
    std::string place = {};  ///< where it was measured: a host, or "node n1 of HOST"; empty: on this machine
    bool operator==(const Study&) const = default;
};
/// A new study with a new id.
Study newStudy(std::string_view name);

/// A run's name, note, tags and study: labels.json in the run's folder. A run without that file has none.
struct Labels {
    std::string name;               ///< replaces the experiment's name; empty: the experiment's
    std::string note;               ///< one line
    std::vector<std::string> tags;  ///< short words, unique regardless of case
    Study study;
    bool operator==(const Labels&) const = default;
};

/// Maximum number of cells of a sweep, and of repeats of a cell.
inline constexpr int kMostParts = 1'000'000;
constexpr std::size_t kMostName = 200, kMostNote = 2000, kMostTag = 40, kMostTags = 20;  ///< bytes; tags

/// The changes to a run's labels; std::nullopt leaves a label unchanged.
struct LabelChange {
    std::optional<std::string> name = {};  ///< empty: back to the experiment's name
    std::optional<std::string> note = {};
    std::optional<std::vector<std::string>> tags = {};  ///< replaces all tags
    std::vector<std::string> addTags = {}, removeTags = {};
    std::optional<std::string> place = {};  ///< Study::place
};

/// The labels after the change. Names and notes become one line. Error, one line: a tag is invalid, or a text
/// is too long.
base::Result<Labels> changed(Labels labels, const LabelChange& change);
/// The words of a line of tags, separated by blanks or commas: "paper, baseline". Error if one is not a valid
/// tag.
base::Result<std::vector<std::string>> parseTags(std::string_view line);

/// No labels if there is no file. Errors name the file.
base::Result<Labels> readLabels(const std::filesystem::path& runFolder);
/// The file is on disk when it returns.
base::Status writeLabels(const std::filesystem::path& runFolder, const Labels& labels);

}  // namespace highwater::runs
