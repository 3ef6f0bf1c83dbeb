#include "core/scan/scan_client.h"

#include <fmt/format.h>
#include <unistd.h>

#include "core/scan/request.h"
#include "core/volume/volume_header.h"
#include "core/volume/write_volume.h"

namespace highwater::scan {
namespace {

base::Result<ProcessRequest> readRequest(const std::string& path, const ReadOptions& options) {
    if (auto status = checkNames(path, options); !status) {
        return status.error();
    }
    ProcessRequest request = makeRequest("read", path, options);
    request.arguments.insert(request.arguments.end(), {"--volume", std::to_string(options.volume)});
    if (!options.series.empty()) {
        request.arguments.insert(request.arguments.end(), {"--series", options.series});
    }
    return request;
}

}  // namespace

base::Result<volume::Volume> readScan(const std::string& path, const ReadOptions& options) {
    auto request = readRequest(path, options);
    if (!request) {
        return request.error();
    }
    const auto file = volume::temporaryFile();
    if (!file) {
        return file.error();
    }
    request->out = *file;
    request->arguments.insert(request->arguments.end(), {"--out-fd", "3", "--", path});
    const auto answer = runScanProcess(*request);
    auto volume =
        answer ? volume::mapVolume(*file, request->name) : base::Result<volume::Volume>(answer.error());
    close(*file);
    return volume;
}

base::Result<volume::Header> readScanHeader(const std::string& path, const ReadOptions& options) {
    auto request = readRequest(path, options);
    if (!request) {
        return request.error();
    }
    request->arguments.insert(request->arguments.end(), {"--", path});
    const auto answer = runScanProcess(*request);
    if (!answer) {
        return answer.error();
    }
    const auto json = answer->find("header");
    if (json == answer->end()) {
        return otherVersion(request->name);
    }
    auto header = volume::headerFromJson(*json);
    if (!header) {
        return base::Error{fmt::format("{}: {}", request->name, header.error().message)};
    }
    return header;
}

}  // namespace highwater::scan
