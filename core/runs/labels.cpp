#include "core/runs/labels.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/id.h"
#include "core/base/json_file.h"
#include "core/base/text.h"
#include "core/runs/words.h"

namespace highwater::runs {

namespace {

constexpr base::Bytes kMostFile = base::kMiB;
constexpr std::string_view kNotInTags = "\"<>=!,";

base::Result<std::string> lineOf(std::string_view text, std::size_t most, std::string_view what) {
    std::string line = base::oneLine(text, 2 * most);
    line.erase(0, std::min(line.find_first_not_of(' '), line.size()));
    if (line.size() > most) {
        return base::Error{fmt::format("the {} is too long: at most {} characters", what, most)};
    }
    return line;
}

base::Status checkTag(std::string_view tag) {
    const std::string shown = base::oneLine(tag, 60);
    if (tag.size() > kMostTag) {
        return base::Error{
            fmt::format("\"{}\" is too long for a tag: at most {} characters", shown, kMostTag)};
    }
    if (tag.empty() || shown != tag || tag.find_first_of(kNotInTags) != std::string_view::npos ||
        tag.find(' ') != std::string_view::npos) {
        return base::Error{fmt::format(
            "\"{}\" is not a tag: a tag is one short word, without blanks, commas, quotes or < > = !",
            shown)};
    }
    return {};
}

auto place(std::vector<std::string>& tags, std::string_view tag) {
    return std::find_if(tags.begin(), tags.end(),
                        [&](const std::string& other) { return alike(other, tag); });
}

base::Status setTags(Labels& labels, const LabelChange& change) {
    if (change.tags) {
        labels.tags.clear();
    }
    for (const auto& added : {change.tags.value_or(std::vector<std::string>()), change.addTags}) {
        for (const std::string& tag : added) {
            HIGHWATER_TRY(checkTag(tag));
            if (place(labels.tags, tag) == labels.tags.end()) {
                labels.tags.push_back(tag);
            }
        }
    }
    for (const std::string& tag : change.removeTags) {
        if (const auto at = place(labels.tags, tag); at != labels.tags.end()) {
            labels.tags.erase(at);
        }
    }
    if (labels.tags.size() > kMostTags) {
        return base::Error{fmt::format("a run has at most {} tags", kMostTags)};
    }
    return {};
}

}  // namespace

Study newStudy(std::string_view name) {
    return {base::newId(), base::oneLine(name, kMostName)};
}

base::Result<Labels> changed(Labels labels, const LabelChange& change) {
    if (change.name) {
        labels.name = HIGHWATER_TRY(lineOf(*change.name, kMostName, "name"));
    }
    if (change.note) {
        labels.note = HIGHWATER_TRY(lineOf(*change.note, kMostNote, "note"));
    }
    if (change.place) {
        labels.study.place = base::oneLine(*change.place, kMostName);
    }
    HIGHWATER_TRY(setTags(labels, change));
    return labels;
}

base::Result<std::vector<std::string>> parseTags(std::string_view line) {
    std::vector<std::string> tags;
    while (!line.empty()) {
        const std::size_t end = std::min(line.find_first_of(" ,\t"), line.size());
        if (end > 0) {
            tags.emplace_back(line.substr(0, end));
            HIGHWATER_TRY(checkTag(tags.back()));
        }
        line.remove_prefix(std::min(end + 1, line.size()));
    }
    return tags;
}

template <class Way>
void exchange(Way& way, base::Exchanged<Way, Study>& study) {
    constexpr base::Whole kPart{0, kMostParts};
    way("id", study.id);
    way("name", study.name);
    if (Way::kReads || (study.cell >= 0 && study.repeat >= 0)) {
        way.unless(-1, "cell", study.cell, kPart);
        way.unless(-1, "repeat", study.repeat, kPart);
    }
    way.line("place", study.place, kMostName);
}

template <class Way>
void exchange(Way& way, base::Exchanged<Way, Labels>& labels) {
    way.anyFormat("schema", "highwater.labels/1");
    way.line("name", labels.name, kMostName);
    way.line("note", labels.note, kMostNote);
    way.unless(std::vector<std::string>(), "tags", labels.tags);
    way.check(std::ranges::all_of(labels.tags, [](const auto& tag) { return checkTag(tag).ok(); }), "tags",
              "must be a list of short words");
    if (Way::kReads || !labels.study.id.empty()) {
        way.unless(Study(), "study", labels.study);
    }
}

base::Result<Labels> readLabels(const std::filesystem::path& runFolder) {
    const auto path = runFolder / "labels.json";
    std::error_code error;
    if (!std::filesystem::exists(path, error) && !error) {
        return Labels();
    }
    return base::fromJsonFile<Labels>(path, kMostFile);
}

base::Status writeLabels(const std::filesystem::path& runFolder, const Labels& labels) {
    return base::writeJson(runFolder / "labels.json", base::JsonOut::written(labels));
}

}  // namespace highwater::runs
