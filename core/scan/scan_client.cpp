#include "core/scan/scan_client.h"

#include <fmt/format.h>
#include <unistd.h>

#include "core/scan/request.h"
#include "core/volume/volume_header.h"
#include "core/volume/write_volume.h"

namespace highwater::scan {
namespace {

base::Result<ProcessRequest> readRequest(const std::string& path, const ReadOptions& options) {
    HIGHWATER_TRY(checkNames(path, options));
    ProcessRequest request = makeRequest("read", path, options);
    request.arguments.insert(request.arguments.end(), {"--volume", std::to_string(options.volume)});
    if (!options.series.empty()) {
        request.arguments.insert(request.arguments.end(), {"--series", options.series});
    }
    return request;
}

}  // namespace

base::Result<volume::Volume> readScan(const std::string& path, const ReadOptions& options) {
    auto request = HIGHWATER_TRY(readRequest(path, options));
    const auto file = HIGHWATER_TRY(volume::temporaryFile());
    request.out = file;
    request.arguments.insert(request.arguments.end(), {"--out-fd", "3", "--", path});
    const auto answer = runScanProcess(request);
    auto volume =
        answer ? volume::mapVolume(file, request.name) : base::Result<volume::Volume>(answer.error());
    close(file);
    return volume;
}

base::Result<volume::Header> readScanHeader(const std::string& path, const ReadOptions& options) {
    auto request = HIGHWATER_TRY(readRequest(path, options));
    request.arguments.insert(request.arguments.end(), {"--", path});
    const auto answer = HIGHWATER_TRY(runScanProcess(request));
    const auto json = answer.find("header");
    if (json == answer.end()) {
        return otherVersion(request.name);
    }
    return base::prefixed(request.name, volume::headerFromJson(*json));
}

}  // namespace highwater::scan
