#include "core/scan/reader/raw/convert.h"

#include <fmt/format.h>

#include <cstring>

namespace highwater::scan::reader {
namespace {

/// Replaces each T in `bytes` by change(T).
template <class T, class Change>
void eachOf(std::span<std::byte> bytes, Change change) {
    for (std::size_t at = 0; at + sizeof(T) <= bytes.size(); at += sizeof(T)) {
        T stored;
        std::memcpy(&stored, bytes.data() + at, sizeof(T));
        const auto changed = change(stored);
        static_assert(sizeof(changed) == sizeof(T));
        std::memcpy(bytes.data() + at, &changed, sizeof(T));
    }
}

void reverseVoxels(std::span<std::byte> bytes, base::Bytes voxelBytes) {
    switch (voxelBytes) {
        case 2:
            return eachOf<std::uint16_t>(bytes, [](std::uint16_t v) { return __builtin_bswap16(v); });
        case 4:
            return eachOf<std::uint32_t>(bytes, [](std::uint32_t v) { return __builtin_bswap32(v); });
        case 8:
            return eachOf<std::uint64_t>(bytes, [](std::uint64_t v) { return __builtin_bswap64(v); });
        default:
            return;
    }
}

}  // namespace

bool needsConversion(const RawLayout& layout) {
    return (layout.swapped && layout.voxelBytes > 1) || layout.conversion != Conversion::Copy;
}

void convertVoxels(const RawLayout& layout, std::span<std::byte> voxels) {
    if (layout.swapped) {
        reverseVoxels(voxels, layout.voxelBytes);
    }
    if (layout.conversion == Conversion::Int64ToDouble) {
        eachOf<std::int64_t>(voxels, [](std::int64_t v) { return static_cast<double>(v); });
    } else if (layout.conversion == Conversion::UInt64ToDouble) {
        eachOf<std::uint64_t>(voxels, [](std::uint64_t v) { return static_cast<double>(v); });
    }
}

void recordStatistics(const volume::StatisticsPass& pass, volume::Header& header) {
    const volume::Statistics result = pass.result(header.slope, header.intercept);
    header.min = result.min;
    header.max = result.max;
    header.mean = result.mean;
    if (result.finite < result.total) {
        header.warnings.push_back(fmt::format("{} of {} voxels are not finite numbers",
                                              result.total - result.finite, result.total));
    }
}

}  // namespace highwater::scan::reader
