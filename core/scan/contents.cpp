#include "core/scan/contents.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/scan/request.h"

namespace highwater::scan {
namespace {

using base::Json;
using base::JsonReader;

constexpr std::int64_t kMostSize = std::int64_t{1} << 31;
constexpr std::int64_t kMostFiles = 1'000'000'000;
constexpr std::int64_t kMostNumber = std::int64_t{1} << 53;
constexpr double kMostSpacing = 1e6;

Json seriesJson(const Series& series) {
    return Json{{"id", series.id},
                {"description", series.description},
                {"modality", series.modality},
                {"number", series.number},
                {"files", series.files},
                {"size", series.size},
                {"spacing_mm", series.spacing},
                {"volumes", series.volumes},
                {"first_file", series.firstFile},
                {"warnings", series.warnings},
                {"problem", series.problem}};
}

std::vector<std::string> texts(JsonReader& reader, std::string_view key) {
    std::vector<std::string> out;
    const Json* json = reader.raw(key);
    if (!json || !json->is_array()) {
        reader.fail(key, "must be a list of texts");
        return out;
    }
    for (const Json& text : *json) {
        if (!text.is_string()) {
            reader.fail(key, "must be a list of texts");
            break;
        }
        out.push_back(text.get<std::string>());
    }
    return out;
}

std::array<double, 3> spacings(JsonReader& reader) {
    std::array<double, 3> out{};
    const Json* json = reader.raw("spacing_mm");
    const bool three = json && json->is_array() && json->size() == 3;
    for (std::size_t axis = 0; three && axis < 3; ++axis) {
        out[axis] = (*json)[axis].is_number() ? (*json)[axis].get<double>() : -1;
    }
    if (!three ||
        !std::all_of(out.begin(), out.end(), [](double s) { return s >= 0 && s <= kMostSpacing; })) {
        reader.fail("spacing_mm", "must be three numbers of millimeters, 0 where one is unknown");
    }
    return out;
}

base::Result<Series> seriesFromJson(const Json& json, const std::string& where) {
    JsonReader reader(json, where);
    Series series;
    series.id = reader.text("id");
    series.description = reader.text("description");
    series.modality = reader.text("modality");
    series.number = reader.integer("number", -kMostNumber, kMostNumber);
    series.files = reader.integer("files", 0, kMostFiles);
    const auto size = reader.integers("size", 0, kMostSize, 3);
    if (size.size() == 3) {
        std::copy(size.begin(), size.end(), series.size.begin());
    } else {
        reader.fail("size", "must be a list of three numbers");
    }
    series.spacing = spacings(reader);
    series.volumes = static_cast<int>(reader.integer("volumes", 1, 1 << 30));
    series.firstFile = reader.text("first_file");
    series.warnings = texts(reader, "warnings");
    series.problem = reader.text("problem");
    if (auto status = reader.finish(); !status) {
        return status.error();
    }
    return series;
}

}  // namespace

Json toJson(const Contents& contents) {
    Json series = Json::array();
    for (const Series& each : contents.series) {
        series.push_back(seriesJson(each));
    }
    return Json{{"series", series},
                {"scans", contents.scans},
                {"unread", contents.unread},
                {"ignored", contents.ignored}};
}

base::Result<Contents> contentsFromJson(const Json& json) {
    JsonReader reader(json, "");
    Contents contents;
    const Json* series = reader.raw("series");
    if (!series || !series->is_array()) {
        reader.fail("series", "must be a list");
    }
    for (std::size_t i = 0; !reader.failed() && i < series->size(); ++i) {
        auto each = seriesFromJson((*series)[i], fmt::format("/series/{}", i));
        if (!each) {
            return each.error();
        }
        contents.series.push_back(std::move(*each));
    }
    contents.scans = texts(reader, "scans");
    contents.unread = texts(reader, "unread");
    contents.ignored = reader.integer("ignored", 0, kMostFiles);
    if (auto status = reader.finish(); !status) {
        return status.error();
    }
    return contents;
}

base::Result<Contents> listScans(const std::string& path, const ReadOptions& options) {
    if (auto status = checkNames(path, options); !status) {
        return status.error();
    }
    ProcessRequest request = makeRequest("list", path, options);
    request.failure = "its contents cannot be listed";
    request.arguments.insert(request.arguments.end(), {"--", path});
    const auto answer = runScanProcess(request);
    if (!answer) {
        return answer.error();
    }
    const auto json = answer->find("contents");
    if (json == answer->end()) {
        return otherVersion(request.name);
    }
    auto contents = contentsFromJson(*json);
    if (!contents) {
        return base::Error{fmt::format("{}: {}", request.name, contents.error().message)};
    }
    return contents;
}

}  // namespace highwater::scan
