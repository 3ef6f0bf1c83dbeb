#include "core/runs/labels.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/file.h"
#include "core/base/id.h"
#include "core/base/json_reader.h"
#include "core/base/text.h"
#include "core/runs/words.h"

namespace highwater::runs {

using base::Json;

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
            if (auto good = checkTag(tag); !good) {
                return good;
            }
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

void readTags(base::JsonReader& reader, Labels& labels) {
    const Json* tags = reader.raw("tags");
    if (!tags) {
        return;
    }
    if (!tags->is_array()) {
        return reader.fail("tags", "must be a list of words");
    }
    for (const Json& tag : *tags) {
        if (!tag.is_string() || !checkTag(tag.get_ref<const std::string&>())) {
            return reader.fail("tags", "must be a list of short words");
        }
        labels.tags.push_back(tag.get<std::string>());
    }
}

void readStudy(base::JsonReader& reader, Labels& labels) {
    const Json* json = reader.raw("study");
    if (!json) {
        return;
    }
    base::JsonReader fields(*json, "/study");
    labels.study = {fields.text("id"), fields.text("name"),
                    static_cast<int>(fields.integer("cell", 0, kMostParts, -1)),
                    static_cast<int>(fields.integer("repeat", 0, kMostParts, -1)),
                    base::oneLine(fields.text("place", ""), kMostName)};
    if (const auto status = fields.finish(); !status) {
        reader.failAt(status.error().message);
    }
}

}  // namespace

Study newStudy(std::string_view name) {
    return {base::newId(), base::oneLine(name, kMostName)};
}

base::Result<Labels> changed(Labels labels, const LabelChange& change) {
    if (change.name) {
        auto name = lineOf(*change.name, kMostName, "name");
        if (!name) {
            return name.error();
        }
        labels.name = std::move(*name);
    }
    if (change.note) {
        auto note = lineOf(*change.note, kMostNote, "note");
        if (!note) {
            return note.error();
        }
        labels.note = std::move(*note);
    }
    if (change.place) {
        labels.study.place = base::oneLine(*change.place, kMostName);
    }
    if (const auto set = setTags(labels, change); !set) {
        return set.error();
    }
    return labels;
}

base::Result<std::vector<std::string>> parseTags(std::string_view line) {
    std::vector<std::string> tags;
    while (!line.empty()) {
        const std::size_t end = std::min(line.find_first_of(" ,\t"), line.size());
        if (end > 0) {
            tags.emplace_back(line.substr(0, end));
            if (const auto good = checkTag(tags.back()); !good) {
                return good.error();
            }
        }
        line.remove_prefix(std::min(end + 1, line.size()));
    }
    return tags;
}

base::Result<Labels> readLabels(const std::filesystem::path& runFolder) {
    const auto path = runFolder / "labels.json";
    std::error_code error;
    if (!std::filesystem::exists(path, error) && !error) {
        return Labels();
    }
    const auto json = base::readJson(path, kMostFile);
    if (!json) {
        return json.error();
    }
    base::JsonReader reader(*json, "");
    reader.text("schema");
    Labels labels;
    labels.name = base::oneLine(reader.text("name", ""), kMostName);
    labels.note = base::oneLine(reader.text("note", ""), kMostNote);
    readTags(reader, labels);
    readStudy(reader, labels);
    if (const auto finished = reader.finish(); !finished) {
        return base::Error{fmt::format("{}: {}", path.string(), finished.error().message)};
    }
    return labels;
}

base::Status writeLabels(const std::filesystem::path& runFolder, const Labels& labels) {
    Json json = {{"schema", "highwater.labels/1"}};
    if (!labels.name.empty()) {
        json["name"] = labels.name;
    }
    if (!labels.note.empty()) {
        json["note"] = labels.note;
    }
    if (!labels.tags.empty()) {
        json["tags"] = labels.tags;
    }
    if (!labels.study.id.empty()) {
        Json& study = json["study"] = {{"id", labels.study.id}, {"name", labels.study.name}};
        if (labels.study.cell >= 0 && labels.study.repeat >= 0) {
            study["cell"] = labels.study.cell;
            study["repeat"] = labels.study.repeat;
        }
        if (!labels.study.place.empty()) {
            study["place"] = labels.study.place;
        }
    }
    return base::writeFileAtomically(runFolder / "labels.json",
                                     json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace highwater::runs
