#include "core/scan/reader/bytes/layout.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "core/scan/reader/bytes/gzip.h"

namespace highwater::scan::reader {
namespace {

base::Error tooMuch() {
    return {"damaged: the header promises more voxels than any file can hold"};
}

constexpr std::int64_t kMostAlongAnAxis = std::numeric_limits<std::int32_t>::max();

}  // namespace

base::Status setVoxels(RawLayout& layout, const StoredType& type, std::int64_t volumes) {
    std::optional<std::int64_t> bytes = type.bytes;
    for (std::int64_t size : layout.header.geometry.size) {
        if (size < 1) {
            return base::Error{fmt::format("damaged: a size of {}, it must be at least 1", size)};
        }
        bytes = bytes && size <= kMostAlongAnAxis ? base::checkedMul(*bytes, size) : std::nullopt;
    }
    if (volumes < 1) {
        return base::Error{fmt::format("damaged: {} volumes, there must be at least 1", volumes)};
    }
    const auto all = bytes && volumes <= kMostAlongAnAxis ? base::checkedMul(*bytes, volumes) : std::nullopt;
    const auto end = all ? base::checkedAdd(*all, layout.firstVoxel) : std::nullopt;
    if (!end || !base::checkedAdd(*end, layout.dataFrom)) {
        return tooMuch();
    }
    layout.voxelBytes = type.bytes;
    layout.conversion = type.conversion;
    layout.volumeBytes = layout.runBytes = *bytes;
    layout.allBytes = *all;
    volume::Header& header = layout.header;
    header.type = type.type;
    header.pixelType = type.name;
    header.volumes = static_cast<int>(volumes);
    header.min = header.max = header.mean = std::nan("");
    return {};
}

base::Status checkLength(RawLayout& layout, base::Bytes bytes) {
    if (layout.atEnd) {
        layout.firstVoxel = std::max<base::Bytes>(0, bytes - layout.allBytes);
    }
    if (bytes < layout.firstVoxel) {
        return base::Error{fmt::format("truncated: its voxels begin at byte {}, the file has {} bytes",
                                       layout.dataFrom + layout.firstVoxel, layout.dataFrom + bytes)};
    }
    const base::Bytes there = bytes - layout.firstVoxel;
    if (there < layout.allBytes) {
        return base::Error{fmt::format("truncated: the header promises {} bytes of voxels, the file has {}",
                                       layout.allBytes, there)};
    }
    if (there > layout.allBytes && !layout.followed) {
        layout.header.warnings.push_back(
            fmt::format("{} bytes after the voxels were ignored", there - layout.allBytes));
    }
    return {};
}

base::Status checkCanHold(const RawLayout& layout, base::Bytes packed) {
    const base::Bytes most = mostInflated(packed);
    if (layout.firstVoxel + layout.allBytes <= most) {
        return {};
    }
    return base::Error{
        fmt::format("truncated: the header promises {} bytes of voxels, {} bytes of {} can hold {} at most",
                    layout.allBytes, packed, layout.packing == Packing::Zlib ? "zlib" : "gzip", most)};
}

base::Status checkVolumeIndex(const RawLayout& layout, std::int64_t volume) {
    const int volumes = layout.header.volumes;
    if (volume >= 0 && volume < volumes) {
        return {};
    }
    if (volumes == 1) {
        return base::Error{fmt::format("there is no volume {}: the file has one, number 0", volume)};
    }
    return base::Error{
        fmt::format("there is no volume {}: the file has {}, numbers 0 to {}", volume, volumes, volumes - 1)};
}

}  // namespace highwater::scan::reader
