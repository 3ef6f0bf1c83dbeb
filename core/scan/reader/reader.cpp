#include "core/scan/reader/reader.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <new>

#include "core/base/text.h"
#include "core/scan/reader/nifti_write.h"
#include "core/volume/phantom.h"

namespace highwater::scan::reader {
namespace {

bool endsWithNifti(const std::string& name) {
    std::string lower = name;
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return std::tolower(c); });
    return lower.ends_with(".nii") || lower.ends_with(".nii.gz");
}

base::Error notSupported(const std::string& path, std::string_view what) {
    return {
        fmt::format("{}: {} not supported in this version; Highwater reads .nii and .nii.gz", path, what)};
}

base::Status checkName(const std::string& path) {
    struct stat facts {};
    if (stat(path.c_str(), &facts) != 0) {
        return {};  // Mapping says why
    }
    if (S_ISDIR(facts.st_mode)) {
        return notSupported(path, "a folder is");
    }
    if (!endsWithNifti(path)) {
        const std::string name = fileName(path);
        const auto dot = name.find_last_of('.');
        const bool named = dot != std::string::npos && dot > 0 && name.size() - dot <= 8;
        return notSupported(path,
                            named ? name.substr(dot) + " files are" : "a file without .nii in its name is");
    }
    return {};
}

base::Error named(const std::string& path, const base::Error& error) {
    return {fmt::format("{}: {}", fileName(path), error.message)};
}

base::Result<volume::Header> headerAlone(const Mapping& file, std::int64_t volume) {
    auto layout = readNiftiLayout(file);
    if (!layout) {
        return layout.error();
    }
    if (auto status = checkVolumeIndex(*layout, volume); !status) {
        return status.error();
    }
    return layout->header;
}

}  // namespace

base::Result<volume::Header> readScanFile(const Request& request, const ProgressSink& progress) {
    if (auto status = checkName(request.path); !status) {
        return status.error();
    }
    const auto file = Mapping::openFile(request.path);
    if (!file) {
        return file.error();
    }
    auto header = request.out < 0 ? headerAlone(*file, request.volume)
                                  : readNifti(*file, request.volume, request.out, progress);
    return header ? std::move(header) : named(request.path, header.error());
}

base::Status writePhantomFile(const std::string& path, std::uint64_t seed, const ProgressSink& progress) {
    if (!path.ends_with(".nii.gz")) {
        return base::Error{fmt::format("{}: the phantom is written as .nii.gz; choose such a name", path)};
    }
    volume::PhantomOptions options;
    options.seed = seed;
    options.progress = [&](double fraction) { progress("making", fraction); };
    const auto phantom = volume::makePhantom(options);
    if (!phantom) {
        return phantom.error();
    }
    progress("compressing", -1);
    return writeNiftiGzip(path, phantom->geometry, phantom->voxels,
                          fmt::format("Highwater head phantom, Hounsfield units, seed {}", seed));
}

}  // namespace highwater::scan::reader
