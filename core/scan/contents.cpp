#include "core/scan/contents.h"

#include <fmt/format.h>

#include "core/base/json_file.h"
#include "core/scan/request.h"

namespace highwater::scan {
namespace {

constexpr base::Whole kMostFiles{0, 1'000'000'000};

}  // namespace

template <class Way>
void exchange(Way& way, base::Exchanged<Way, Series>& series) {
    constexpr std::int64_t kMostNumber = std::int64_t{1} << 53;
    way("id", series.id);
    way("description", series.description);
    way("modality", series.modality);
    way("number", series.number, base::Whole{-kMostNumber, kMostNumber});
    way("files", series.files, kMostFiles);
    way("size", series.size, base::Whole{0, std::int64_t{1} << 31});
    way("spacing_mm", series.spacing, base::Real{0, 1e6});
    way("volumes", series.volumes, base::Whole{1, 1 << 30});
    way("first_file", series.firstFile);
    way("warnings", series.warnings);
    way("problem", series.problem);
}

template <class Way>
void exchange(Way& way, base::Exchanged<Way, Contents>& contents) {
    way("series", contents.series);
    way("scans", contents.scans);
    way("unread", contents.unread);
    way("ignored", contents.ignored, kMostFiles);
}

base::Json toJson(const Contents& contents) {
    return base::JsonOut::written(contents);
}

base::Result<Contents> contentsFromJson(const base::Json& json) {
    return base::fromJson<Contents>(json);
}

base::Result<Contents> listScans(const std::string& path, const ReadOptions& options) {
    HIGHWATER_TRY(checkNames(path, options));
    ProcessRequest request = makeRequest("list", path, options);
    request.failure = "its contents cannot be listed";
    request.arguments.insert(request.arguments.end(), {"--", path});
    const auto answer = HIGHWATER_TRY(runScanProcess(request));
    const auto json = answer.find("contents");
    if (json == answer.end()) {
        return otherVersion(request.name);
    }
    return base::prefixed(request.name, contentsFromJson(*json));
}

}  // namespace highwater::scan
