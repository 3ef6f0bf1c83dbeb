#include "core/scan/file_header.h"

#include <fmt/format.h>

#include "core/scan/request.h"

namespace highwater::scan {

using base::Json;

Json toJson(const FileHeader& header) {
    Json rows = Json::array();
    for (const HeaderRow& row : header.rows) {
        rows.push_back(Json{{"depth", row.depth},
                            {"tag", row.tag},
                            {"name", row.name},
                            {"vr", row.vr},
                            {"value", row.value}});
    }
    return Json{{"file", header.file}, {"rows", rows}, {"cut", header.cut}, {"problem", header.problem}};
}

base::Result<FileHeader> fileHeaderFromJson(const Json& json) {
    base::JsonReader reader(json, "");
    FileHeader header;
    header.file = reader.text("file");
    const Json* rows = reader.raw("rows");
    if (!rows || !rows->is_array() || rows->size() > kMostHeaderRows) {
        reader.fail("rows", fmt::format("must be a list of at most {} rows", kMostHeaderRows));
    }
    for (std::size_t i = 0; !reader.failed() && i < rows->size(); ++i) {
        base::JsonReader each((*rows)[i], fmt::format("/rows/{}", i));
        HeaderRow row;
        row.depth = each.integer("depth", 0, 100);
        row.tag = each.text("tag");
        row.name = each.text("name");
        row.vr = each.text("vr");
        row.value = each.text("value");
        if (auto status = each.finish(); !status) {
            return status.error();
        }
        header.rows.push_back(std::move(row));
    }
    header.cut = reader.boolean("cut");
    header.problem = reader.text("problem");
    if (auto status = reader.finish(); !status) {
        return status.error();
    }
    return header;
}

base::Result<FileHeader> readFileHeader(const std::string& path, std::optional<std::int64_t> slice,
                                        const ReadOptions& options) {
    if (auto status = checkNames(path, options); !status) {
        return status.error();
    }
    ProcessRequest request = makeRequest("header", path, options);
    request.failure = "its header cannot be read";
    auto& words = request.arguments;
    words.insert(words.end(), {"--volume", std::to_string(options.volume)});
    if (slice) {
        words.insert(words.end(), {"--slice", std::to_string(*slice)});
    }
    if (!options.series.empty()) {
        words.insert(words.end(), {"--series", options.series});
    }
    words.insert(words.end(), {"--", path});
    const auto answer = runScanProcess(request);
    if (!answer) {
        return answer.error();
    }
    const auto json = answer->find("file_header");
    if (json == answer->end()) {
        return otherVersion(request.name);
    }
    auto header = fileHeaderFromJson(*json);
    if (!header) {
        return base::Error{fmt::format("{}: {}", request.name, header.error().message)};
    }
    return header;
}

}  // namespace highwater::scan
