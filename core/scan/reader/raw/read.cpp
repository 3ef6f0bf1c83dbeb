#include "core/scan/reader/raw/read.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <vector>

#include "core/scan/reader/bytes/gzip.h"
#include "core/scan/reader/raw/convert.h"
#include "core/volume/handover.h"
#include "core/volume/statistics.h"
#include "core/volume/write_volume.h"

namespace highwater::scan::reader {
namespace {

constexpr base::Bytes kChunk = base::kMiB;  // a multiple of every voxel's size; stays in the cache
constexpr base::Bytes kSlack = base::kMiB;  // maximum number of bytes of unpacked data after the voxels
constexpr base::Bytes kMostInMemory = base::kGiB;     // up to this size, a copy in memory costs less than the
                                                      // pages of a file
constexpr base::Bytes kMostBefore = 64 * base::kKiB;  // maximum number of bytes before voxels that are
                                                      // unpacked in place

/// The part of the file that has the voxels, packed or not.
std::span<const std::byte> dataOf(const RawLayout& layout, const Mapping& file) {
    const auto data =
        file.bytes().subspan(std::min(file.bytes().size(), static_cast<std::size_t>(layout.dataFrom)));
    return layout.dataBytes < 0
               ? data
               : data.first(std::min(data.size(), static_cast<std::size_t>(layout.dataBytes)));
}

/// Calls `work` for each chunk of a volume's bytes, [at, at + bytes).
template <class Work>
base::Status inChunks(const RawLayout& layout, const ProgressSink& progress, Work work) {
    for (base::Bytes at = 0; at < layout.volumeBytes; at += kChunk) {
        const base::Bytes bytes = std::min(kChunk, layout.volumeBytes - at);
        HIGHWATER_TRY(work(at, bytes));
        progress("reading", static_cast<double>(at + bytes) / static_cast<double>(layout.volumeBytes));
    }
    return {};
}

/// Copies bytes [at, at + part.size()) of one volume, whose pieces may be interleaved with those of others.
void gather(const RawLayout& layout, const std::byte* voxels, std::int64_t volume, base::Bytes at,
            std::span<std::byte> part) {
    const base::Bytes run = layout.runBytes;
    while (!part.empty()) {
        const base::Bytes into = at % run;
        const auto piece = std::min(part.size(), static_cast<std::size_t>(run - into));
        const base::Bytes from = (at / run * layout.header.volumes + volume) * run + into;
        std::memcpy(part.data(), voxels + from, piece);
        part = part.subspan(piece);
        at += static_cast<base::Bytes>(piece);
    }
}

/// Returns the offset, from the first voxel, before which no data is needed once the volume's bytes up to
/// `at` are read.
base::Bytes behind(const RawLayout& layout, std::int64_t volume, base::Bytes at) {
    return layout.runBytes == layout.volumeBytes
               ? volume * layout.volumeBytes + at
               : at / layout.runBytes * layout.runBytes * layout.header.volumes;
}

/// Copies one volume from `data`. `done` is called with the offset up to which the data will not be read
/// again.
base::Status copyVolume(RawLayout& layout, std::span<const std::byte> data, std::int64_t volume, int out,
                        const std::function<void(base::Bytes)>& done, const ProgressSink& progress) {
    const base::Bytes start = volume::voxelStart(layout.header);
    const std::byte* voxels = data.data() + layout.firstVoxel;
    const bool asTheyAre = !needsConversion(layout) && layout.runBytes == layout.volumeBytes;
    std::vector<std::byte> chunk(asTheyAre ? 0
                                           : static_cast<std::size_t>(std::min(kChunk, layout.volumeBytes)));
    volume::StatisticsPass statistics(layout.header.type);
    const auto status = inChunks(layout, progress, [&](base::Bytes at, base::Bytes bytes) -> base::Status {
        std::span<const std::byte> part(voxels + volume * layout.volumeBytes + at,
                                        asTheyAre ? static_cast<std::size_t>(bytes) : 0);
        if (!asTheyAre) {
            const std::span<std::byte> room(chunk.data(), static_cast<std::size_t>(bytes));
            gather(layout, voxels, volume, at, room);
            convertVoxels(layout, room);
            part = room;
        }
        statistics.add(part.data(), bytes / layout.voxelBytes);
        auto written = volume::writeAt(out, part, start + at);
        done(layout.firstVoxel + behind(layout, volume, at + bytes));
        return written;
    });
    if (!status) {
        return status;
    }
    recordStatistics(statistics, layout.header);
    return volume::writeVolumeHeader(out, layout.header, start);
}

base::Result<volume::Header> copyUnpacked(RawLayout layout, const Mapping& file, std::int64_t volume, int out,
                                          const ProgressSink& progress) {
    base::Bytes released = 0;
    const auto release = [&](base::Bytes upTo) {
        upTo += layout.dataFrom;
        if (upTo - released >= 4 * base::kMiB) {
            file.release(released, upTo);
            released = upTo;
        }
    };
    const auto data = dataOf(layout, file);
    HIGHWATER_TRY(copyVolume(layout, data, volume, out, release, progress));
    return layout.header;
}

/// Unpacks all of the data and checks it: its own checksum, and its length against the header's promise.
base::Status unpack(RawLayout& layout, std::span<const std::byte> packed, std::span<std::byte> room) {
    const auto inflated = HIGHWATER_TRY(layout.packing == Packing::Zlib ? inflateZlib(packed, room)
                                                                        : inflateGzip(packed, room));
    if (inflated.full) {
        return base::Error{fmt::format(
            "damaged: the header promises {} bytes of voxels, the compressed data continues far beyond",
            layout.allBytes)};
    }
    HIGHWATER_TRY(checkLength(layout, inflated.bytes));
    if (inflated.trailing > 0) {
        layout.header.warnings.push_back(
            fmt::format("{} bytes after the compressed data were ignored", inflated.trailing));
    }
    if (!std::equal(layout.beginning.begin(), layout.beginning.end(), room.begin())) {
        return base::Error{"the file changed while it was read"};
    }
    return {};
}

/// For one large volume: unpacks into the handover file, so that its voxels are never moved.
base::Result<volume::Header> unpackInPlace(RawLayout layout, std::span<const std::byte> packed, int out,
                                           const ProgressSink& progress) {
    const base::Bytes start =
        std::max(volume::voxelStart(layout.header), volume::roundToPage(layout.firstVoxel));
    auto mapping = HIGHWATER_TRY(Mapping::output(out, start + layout.allBytes + kSlack));
    const auto room = mapping.writable().subspan(static_cast<std::size_t>(start - layout.firstVoxel));
    HIGHWATER_TRY(unpack(layout, packed, room));
    volume::StatisticsPass statistics(layout.header.type);
    static_cast<void>(inChunks(layout, progress, [&](base::Bytes at, base::Bytes bytes) -> base::Status {
        const auto part =
            mapping.writable().subspan(static_cast<std::size_t>(start + at), static_cast<std::size_t>(bytes));
        convertVoxels(layout, part);
        statistics.add(part.data(), bytes / layout.voxelBytes);
        return {};
    }));
    recordStatistics(statistics, layout.header);
    if (ftruncate(out, start + layout.volumeBytes) != 0) {
        return base::Error{fmt::format("the voxels cannot be written: {}", std::strerror(errno))};
    }
    HIGHWATER_TRY(volume::writeVolumeHeader(out, layout.header, start));
    return layout.header;
}

/// Unpacks into memory, or, if the data is too large, into a temporary file whose space is released as the
/// copy proceeds.
base::Result<volume::Header> unpackAside(RawLayout layout, std::span<const std::byte> packed,
                                         std::int64_t volume, int out, const ProgressSink& progress) {
    const base::Bytes bytes = layout.firstVoxel + layout.allBytes + kSlack;
    auto scratch = HIGHWATER_TRY(bytes <= kMostInMemory ? Mapping::memory(bytes) : Mapping::scratch(bytes));
    HIGHWATER_TRY(unpack(layout, packed, scratch.writable()));
    base::Bytes forgotten = 0;
    const auto forget = [&](base::Bytes upTo) {
        if (bytes <= kMostInMemory) {
            return;
        }
        scratch.forget(forgotten, upTo);
        forgotten = upTo;
    };
    HIGHWATER_TRY(copyVolume(layout, scratch.bytes(), volume, out, forget, progress));
    return layout.header;
}

}  // namespace

base::Status checkData(RawLayout& layout, const Mapping& file) {
    const auto whole = static_cast<base::Bytes>(file.bytes().size());
    if (layout.dataFrom > whole) {
        return base::Error{fmt::format("truncated: its voxels begin at byte {}, the file has {} bytes",
                                       layout.dataFrom, whole)};
    }
    const auto data = dataOf(layout, file);
    const auto bytes = static_cast<base::Bytes>(data.size());
    if (layout.dataBytes > bytes) {
        return base::Error{
            fmt::format("truncated: the header promises {} bytes of compressed data, the file has {}",
                        layout.dataBytes, bytes)};
    }
    if (layout.packing == Packing::Zlib && looksLikeGzip(data)) {
        layout.packing = Packing::Gzip;  // zlib accepts both, so such files have either
    }
    return layout.packing == Packing::None ? checkLength(layout, bytes) : checkCanHold(layout, bytes);
}

base::Result<volume::Header> readRaw(RawLayout layout, const Mapping& file, std::int64_t volume, int out,
                                     const ProgressSink& progress) {
    if (layout.packing == Packing::None) {
        return copyUnpacked(std::move(layout), file, volume, out, progress);
    }
    progress("inflating", -1);
    const auto packed = dataOf(layout, file);
    return layout.header.volumes == 1 && layout.firstVoxel <= kMostBefore && layout.allBytes > kMostInMemory
               ? unpackInPlace(std::move(layout), packed, out, progress)
               : unpackAside(std::move(layout), packed, volume, out, progress);
}

}  // namespace highwater::scan::reader
