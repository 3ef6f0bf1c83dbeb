#include "core/scan/file_header.h"

#include <fmt/format.h>

#include "core/base/json_file.h"
#include "core/scan/request.h"

namespace highwater::scan {

template <class Way>
void exchange(Way& way, base::Exchanged<Way, HeaderRow>& row) {
    way("depth", row.depth, base::Whole{0, 100});
    way("tag", row.tag);
    way("name", row.name);
    way("vr", row.vr);
    way("value", row.value);
}

template <class Way>
void exchange(Way& way, base::Exchanged<Way, FileHeader>& header) {
    way("file", header.file);
    way.list("rows", header.rows, kMostHeaderRows);
    way("cut", header.cut);
    way("problem", header.problem);
}

base::Json toJson(const FileHeader& header) {
    return base::JsonOut::written(header);
}

base::Result<FileHeader> fileHeaderFromJson(const base::Json& json) {
    return base::fromJson<FileHeader>(json);
}

base::Result<FileHeader> readFileHeader(const std::string& path, std::optional<std::int64_t> slice,
                                        const ReadOptions& options) {
    HIGHWATER_TRY(checkNames(path, options));
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
    const auto answer = HIGHWATER_TRY(runScanProcess(request));
    const auto json = answer.find("file_header");
    if (json == answer.end()) {
        return otherVersion(request.name);
    }
    return base::prefixed(request.name, fileHeaderFromJson(*json));
}

}  // namespace highwater::scan
