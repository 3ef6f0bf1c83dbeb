#include "core/scan/request.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "core/base/processor.h"
#include "core/scan/scan_names.h"

namespace highwater::scan {
namespace {

namespace fs = std::filesystem;
using base::Bytes;

/// The reader's libraries, stacks and buffers; it maps about 300 MiB before it opens a file.
constexpr Bytes kOwnAddressSpace = base::kGiB;
constexpr Bytes kMostExpansion = 1032;  // maximum ratio of deflate
constexpr int kMostListed = 100'000;
constexpr Bytes kMostDetachedText = 64 * base::kKiB;
constexpr std::size_t kLongestSeries = 512;

Bytes fileBytes(const fs::path& path) {
    struct stat facts{};
    const bool file = stat(path.c_str(), &facts) == 0 && S_ISREG(facts.st_mode);
    return file ? static_cast<Bytes>(facts.st_size) : 0;
}

/// Returns the total size of the files in a folder for which `counts` returns true.
template <class Counts>
Bytes folderBytes(const fs::path& folder, const Counts& counts) {
    std::error_code ignored;
    Bytes sum = 0;
    int entries = 0;
    for (fs::directory_iterator at(folder, ignored), end; at != end && ++entries <= kMostListed;
         at.increment(ignored)) {
        if (counts(at->path().filename().string())) {
            sum = base::checkedAdd(sum, fileBytes(at->path())).value_or(sum);
        }
    }
    return sum;
}

/// Returns the bytes of files that are mapped or held in memory; for several files, at most the machine's
/// memory.
Bytes bytesOf(const fs::path& path, Bytes machineMemory) {
    const auto all = [&](const fs::path& folder) {
        return std::min(folderBytes(folder, [](const std::string&) { return true; }), machineMemory);
    };
    std::error_code ignored;
    if (fs::is_directory(path, ignored)) {
        return all(path);
    }
    const Bytes own = fileBytes(path);
    const std::string name = path.filename().string(), suffix = scanSuffix(name);
    const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    if (suffix.starts_with(".hdr") || suffix.starts_with(".img")) {
        const std::string stem = name.substr(0, name.size() - suffix.size()) + ".";
        return folderBytes(folder, [&](const std::string& other) { return other.starts_with(stem); });
    }
    const bool text = suffix == ".nhdr" || suffix == ".mhd" || suffix == ".nrrd" || suffix == ".mha";
    return text && own <= kMostDetachedText ? all(folder) : own;
}

}  // namespace

std::string shownName(const std::string& path) {
    const fs::path normal = fs::path(path).lexically_normal();
    const std::string name =
        normal.has_filename() ? normal.filename().string() : normal.parent_path().filename().string();
    return name.empty() ? path : name;
}

base::Error otherVersion(const std::string& name) {
    return {fmt::format("{}: the scan reader is of another version; install Highwater again", name)};
}

Bytes addressSpaceFor(const std::string& path, Bytes machineMemory) {
    const Bytes files = bytesOf(path, machineMemory);
    const Bytes inflated = base::checkedMul(files, kMostExpansion).value_or(machineMemory);
    return kOwnAddressSpace + files + std::min(inflated, machineMemory);
}

base::Status checkNames(const std::string& path, const ReadOptions& options) {
    if (path.empty()) {
        return base::Error{"the scan's path is empty; name a file, or a folder of DICOM files"};
    }
    if (path.find('\0') != std::string::npos) {
        return base::Error{"the scan's path contains a zero byte, which no file name can"};
    }
    if (options.series.size() > kLongestSeries || options.series.find('\0') != std::string::npos) {
        return base::Error{fmt::format("{}: there is no such series; `highwater-cli volume list` names them",
                                       shownName(path))};
    }
    return {};
}

ProcessRequest makeRequest(const std::string& command, const std::string& path, const ReadOptions& options) {
    const Bytes space = options.limits.addressSpace > 0 ? options.limits.addressSpace
                                                        : addressSpaceFor(path, base::machineMemory());
    ProcessRequest request;
    request.arguments = {command, "--address-space", std::to_string(space)};
    request.name = shownName(path);
    request.timeout = options.limits.timeout;
    request.progress = options.progress;
    request.cancel = options.cancel;
    return request;
}

}  // namespace highwater::scan
