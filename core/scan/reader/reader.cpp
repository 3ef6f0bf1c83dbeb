#include "core/scan/reader/reader.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "core/base/file_kind.h"
#include "core/base/paths.h"
#include "core/scan/reader/bytes/gzip.h"
#include "core/scan/reader/dicom/dicom.h"
#include "core/scan/reader/nifti/write.h"
#include "core/scan/reader/raw/convert.h"
#include "core/scan/reader/raw/file.h"
#include "core/scan/reader/raw/read.h"
#include "core/volume/phantom.h"
#include "core/volume/write_volume.h"

namespace highwater::scan::reader {
namespace {

bool isFolder(const std::string& path) {
    struct stat facts{};
    return stat(path.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode);
}

base::Result<volume::Header> readOpened(RawFile raw, const Request& request, const ProgressSink& progress) {
    HIGHWATER_TRY(checkVolumeIndex(raw.layout, request.volume));
    if (request.out < 0) {
        return std::move(raw.layout.header);
    }
    return readRaw(std::move(raw.layout), raw.data, request.volume, request.out, progress);
}

base::Result<volume::Phantom> makePhantom(std::uint64_t seed, const ProgressSink& progress) {
    volume::PhantomOptions options;
    options.seed = seed;
    options.progress = [&](double fraction) { progress("making the phantom", fraction); };
    return volume::makePhantom(options);
}

/// Gives the same voxels and values as the file that writePhantomFile makes with seed 1.
base::Result<volume::Header> readPhantom(const Request& request, const ProgressSink& progress) {
    RawLayout layout;
    HIGHWATER_TRY(checkVolumeIndex(layout, request.volume));
    const auto phantom = HIGHWATER_TRY(makePhantom(1, progress));
    volume::Header header;
    header.format = "phantom";
    header.geometry = phantom.geometry;
    header.pixelType = "int16";
    const auto voxels = std::as_bytes(std::span(phantom.voxels));
    volume::StatisticsPass statistics(header.type);
    statistics.add(voxels.data(), header.geometry.voxels());
    recordStatistics(statistics, header);
    if (request.out >= 0) {
        // The mapping does not own the voxels; they outlive it.
        const volume::Volume volume(header, {std::shared_ptr<const std::byte>(), voxels.data()});
        HIGHWATER_TRY(volume::writeVolume(request.out, volume));
    }
    return header;
}

/// A file with DICOM's mark is DICOM, regardless of its preamble. Files without it are recognized by their
/// first element, unless they have another format's mark.
bool isDicom(const std::string& path, std::span<const std::byte> beginning) {
    return hasDicomMark(beginning) || (looksLikeDicom(beginning) && !looksLikeRaw(path, beginning));
}

}  // namespace

bool isDicomFile(const std::string& path) {
    const auto file = Mapping::openFile(path);
    return file && isDicom(path, file->bytes().first(std::min(file->bytes().size(), base::kKindBytes)));
}

base::Result<volume::Header> readScanFile(const Request& request, const ProgressSink& progress) {
    const auto dicom = [&] {
        return readDicom(request.path, request.series, request.volume, request.out, progress);
    };
    if (request.path == base::kHeadPhantom) {
        auto header = readPhantom(request, progress);
        return header ? std::move(header) : named(request.path, header.error());
    }
    if (isFolder(request.path)) {
        return dicom();
    }
    auto file = HIGHWATER_TRY(Mapping::openFile(request.path));
    auto beginning = beginningOf(file);
    if (!beginning) {
        return named(request.path, beginning.error());
    }
    if (isDicom(request.path, *beginning)) {
        return looksLikeGzip(file.bytes())
                   ? named(request.path, base::Error{"is a DICOM file inside of gzip; unpack it first"})
                   : dicom();
    }
    auto raw = openRaw(request.path, std::move(file), std::move(*beginning));
    auto header =
        raw ? readOpened(std::move(*raw), request, progress) : base::Result<volume::Header>(raw.error());
    return header ? std::move(header) : named(request.path, header.error());
}

base::Status writePhantomFile(const std::string& path, std::uint64_t seed, const ProgressSink& progress) {
    if (!path.ends_with(".nii.gz")) {
        return base::Error{fmt::format("{}: the phantom is written as .nii.gz; choose such a name", path)};
    }
    const auto folder = std::filesystem::path(path).parent_path();
    if (::access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) !=
        0) {  // checked before seconds of work
        return base::Error{fmt::format("{}: cannot be written: {}", path, std::strerror(errno))};
    }
    const auto phantom = HIGHWATER_TRY(makePhantom(seed, progress));
    progress("compressing", -1);
    return writeNiftiGzip(path, phantom.geometry, phantom.voxels,
                          fmt::format("Highwater head phantom, Hounsfield units, seed {}", seed));
}

}  // namespace highwater::scan::reader
