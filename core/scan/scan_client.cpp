#include "core/scan/scan_client.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "core/scan/process.h"
#include "core/volume/volume_header.h"
#include "core/volume/write_volume.h"

namespace highwater::scan {
namespace {

using base::Bytes;

/// Libraries, stacks and buffers of the reader; it maps about 300 MiB before it sees a file.
constexpr Bytes kOwnAddressSpace = base::kGiB;
constexpr Bytes kMostExpansion = 1032;  // of deflate

Bytes machineMemory() {
    return static_cast<Bytes>(sysconf(_SC_PHYS_PAGES)) * static_cast<Bytes>(sysconf(_SC_PAGESIZE));
}

/// The file mapped, and its inflated content mapped: as much as its bytes can become, at most the machine's
/// memory.
Bytes addressSpaceFor(const std::string& path) {
    struct stat facts {};
    const Bytes file = stat(path.c_str(), &facts) == 0 ? static_cast<Bytes>(facts.st_size) : 0;
    const Bytes inflated = base::checkedMul(file, kMostExpansion).value_or(machineMemory());
    return kOwnAddressSpace + file + std::min(inflated, machineMemory());
}

ProcessRequest makeRequest(const std::string& path, const ReadOptions& options) {
    const Bytes space = options.limits.addressSpace > 0 ? options.limits.addressSpace : addressSpaceFor(path);
    ProcessRequest request;
    request.arguments = {"read", "--volume", std::to_string(options.volume), "--address-space",
                         std::to_string(space)};
    request.name = std::filesystem::path(path).filename().string();
    request.timeout = options.limits.timeout;
    request.progress = options.progress;
    request.cancel = options.cancel;
    return request;
}

base::Status checkPath(const std::string& path) {
    if (path.empty() || path.find('\0') != std::string::npos) {
        return base::Error{"the scan's path is empty; name a .nii or .nii.gz file"};
    }
    return {};
}

}  // namespace

base::Result<volume::Volume> readScan(const std::string& path, const ReadOptions& options) {
    if (auto status = checkPath(path); !status) {
        return status.error();
    }
    const auto file = volume::temporaryFile();
    if (!file) {
        return file.error();
    }
    ProcessRequest request = makeRequest(path, options);
    request.out = *file;
    request.arguments.insert(request.arguments.end(), {"--out-fd", "3", "--", path});
    const auto answer = runScanProcess(request);
    auto volume =
        answer ? volume::mapVolume(*file, request.name) : base::Result<volume::Volume>(answer.error());
    close(*file);
    return volume;
}

base::Result<volume::Header> readScanHeader(const std::string& path, const ReadOptions& options) {
    if (auto status = checkPath(path); !status) {
        return status.error();
    }
    ProcessRequest request = makeRequest(path, options);
    request.arguments.insert(request.arguments.end(), {"--", path});
    const auto answer = runScanProcess(request);
    if (!answer) {
        return answer.error();
    }
    const auto header = answer->find("header");
    if (header == answer->end()) {
        return base::Error{
            fmt::format("{}: the scan reader is of another version; install Highwater again", request.name)};
    }
    return volume::headerFromJson(*header);
}

}  // namespace highwater::scan
