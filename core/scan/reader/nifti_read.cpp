#include "core/scan/reader/nifti_read.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/base/text.h"
#include "core/scan/reader/gzip.h"
#include "core/scan/reader/itk_geometry.h"
#include "core/volume/statistics.h"
#include "core/volume/write_volume.h"

namespace highwater::scan::reader {
namespace {

constexpr base::Bytes kChunk = 4 * base::kMiB;  // a multiple of every voxel size
constexpr base::Bytes kSlack = base::kMiB;      // how far inflated data may go on after the voxels

void reverseVoxels(std::span<std::byte> bytes, base::Bytes voxel) {
    const auto step = static_cast<std::ptrdiff_t>(voxel);
    for (auto at = bytes.begin(); at != bytes.end(); at += step) {
        std::reverse(at, at + step);
    }
}

template <class T>
void toDouble(std::span<std::byte> bytes) {
    static_assert(sizeof(T) == sizeof(double));
    for (std::size_t at = 0; at < bytes.size(); at += sizeof(T)) {
        T stored;
        std::memcpy(&stored, bytes.data() + at, sizeof(T));
        const auto value = static_cast<double>(stored);
        std::memcpy(bytes.data() + at, &value, sizeof(T));
    }
}

void convert(const NiftiLayout& layout, std::span<std::byte> bytes) {
    if (layout.swapped && layout.voxelBytes > 1) {
        reverseVoxels(bytes, layout.voxelBytes);
    }
    if (layout.conversion == Conversion::Int64ToDouble) {
        toDouble<std::int64_t>(bytes);
    } else if (layout.conversion == Conversion::UInt64ToDouble) {
        toDouble<std::uint64_t>(bytes);
    }
}

base::Result<NiftiLayout> layoutOf(std::span<const std::byte> beginning) {
    const auto nifti = parseNiftiHeader(beginning);
    if (!nifti) {
        return nifti.error();
    }
    return checkNifti(*nifti);
}

/// Copies one volume chunk by chunk; `source` may give its space back behind the copy.
base::Status copyVoxels(NiftiLayout& layout, std::span<const std::byte> source, base::Bytes begin, int out,
                        const std::function<void(base::Bytes, base::Bytes)>& done,
                        const ProgressSink& progress) {
    const base::Bytes start = volume::voxelStart(layout.header);
    std::vector<std::byte> chunk(static_cast<std::size_t>(std::min(kChunk, layout.volumeBytes)));
    volume::StatisticsPass statistics(layout.header.type);
    for (base::Bytes at = 0; at < layout.volumeBytes; at += kChunk) {
        const base::Bytes bytes = std::min(kChunk, layout.volumeBytes - at);
        const std::span<std::byte> part(chunk.data(), static_cast<std::size_t>(bytes));
        std::memcpy(part.data(), source.data() + begin + at, part.size());
        convert(layout, part);
        statistics.add(part.data(), bytes / layout.voxelBytes);
        if (auto status = volume::writeAt(out, part, start + at); !status) {
            return status;
        }
        done(begin + at, begin + at + bytes);
        progress("reading", static_cast<double>(at + bytes) / static_cast<double>(layout.volumeBytes));
    }
    volume::Header& header = layout.header;
    const volume::Statistics result = statistics.result(header.slope, header.intercept);
    header.min = result.min;
    header.max = result.max;
    header.mean = result.mean;
    if (result.finite < result.total) {
        header.warnings.push_back(fmt::format("{} of {} voxels are not finite numbers",
                                              result.total - result.finite, result.total));
    }
    return volume::writeVolumeHeader(out, header, start);
}

base::Status checkCanHold(const NiftiLayout& layout, base::Bytes compressed) {
    const base::Bytes most = mostInflated(compressed);
    if (layout.fileBytes() <= most) {
        return {};
    }
    return base::Error{
        fmt::format("truncated: the header promises {} bytes of voxels, {} bytes of gzip can hold {} at "
                    "most",
                    layout.allBytes, compressed, most)};
}

base::Result<volume::Header> readGzip(const Mapping& file, std::int64_t volume, int out,
                                      const ProgressSink& progress) {
    auto layout = readNiftiLayout(file);
    if (!layout) {
        return layout.error();
    }
    if (auto status = checkVolumeIndex(*layout, volume); !status) {
        return status.error();
    }
    progress("inflating", -1);
    auto scratch = Mapping::scratch(layout->fileBytes() + kSlack);
    if (!scratch) {
        return scratch.error();
    }
    const auto inflated = inflateGzip(file.bytes(), scratch->writable());
    if (!inflated) {
        return inflated.error();
    }
    if (inflated->full) {
        return base::Error{
            fmt::format("damaged: the header promises {} bytes of voxels, the compressed data goes on "
                        "far beyond",
                        layout->allBytes)};
    }
    if (auto status = checkLength(*layout, inflated->bytes); !status) {
        return status.error();
    }
    if (inflated->trailing > 0) {
        layout->header.warnings.push_back(
            fmt::format("{} bytes after the compressed data were ignored", inflated->trailing));
    }
    const auto beginning = gzipBeginning(file.bytes(), kNiftiHeaderBytes);
    if (!beginning || std::memcmp(beginning->data(), scratch->bytes().data(), kNiftiHeaderBytes) != 0) {
        return base::Error{"the file changed while it was read"};
    }
    const auto forget = [&](base::Bytes from, base::Bytes to) { scratch->forget(from, to); };
    const base::Bytes begin = layout->firstVoxel + volume * layout->volumeBytes;
    if (auto status = copyVoxels(*layout, scratch->bytes(), begin, out, forget, progress); !status) {
        return status.error();
    }
    return layout->header;
}

base::Result<volume::Header> readRaw(const Mapping& file, std::int64_t volume, int out,
                                     const ProgressSink& progress) {
    auto layout = readNiftiLayout(file);
    if (!layout) {
        return layout.error();
    }
    if (auto status = checkVolumeIndex(*layout, volume); !status) {
        return status.error();
    }
    const base::Bytes begin = layout->firstVoxel + volume * layout->volumeBytes;
    if (auto status = copyVoxels(
            *layout, file.bytes(), begin, out, [](base::Bytes, base::Bytes) {}, progress);
        !status) {
        return status.error();
    }
    return layout->header;
}

}  // namespace

base::Result<NiftiLayout> readNiftiLayout(const Mapping& file) {
    const bool gzip = looksLikeGzip(file.bytes());
    std::vector<std::byte> inflated;
    std::span<const std::byte> beginning =
        file.bytes().first(std::min(file.bytes().size(), kNiftiHeaderBytes));
    if (gzip) {
        auto peeked = gzipBeginning(file.bytes(), kNiftiHeaderBytes);
        if (!peeked) {
            return peeked.error();
        }
        inflated = std::move(*peeked);
        beginning = inflated;
    }
    auto layout = layoutOf(beginning);
    if (!layout) {
        return layout;
    }
    const auto bytes = static_cast<base::Bytes>(file.bytes().size());
    if (gzip) {
        layout->header.format = "NIfTI-1 (gzip)";
    }
    if (auto status = gzip ? checkCanHold(*layout, bytes) : checkLength(*layout, bytes); !status) {
        return status.error();
    }
    addSecondOpinion(beginning, layout->header);
    return layout;
}

base::Result<volume::Header> readNifti(const Mapping& file, std::int64_t volume, int out,
                                       const ProgressSink& progress) {
    return looksLikeGzip(file.bytes()) ? readGzip(file, volume, out, progress)
                                       : readRaw(file, volume, out, progress);
}

}  // namespace highwater::scan::reader
