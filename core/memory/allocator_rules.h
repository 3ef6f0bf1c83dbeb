#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "core/memory/allocator_config.h"

namespace highwater::memory {

/// The size rules of PyTorch's CUDA caching allocator, one function a rule; bytes in, bytes out.
/// Source: c10/cuda/CUDACachingAllocator.cpp of 1.13 to 2.8; 2.11 and 2.15 were observed to follow them.

inline constexpr base::Bytes kSmallestBlock = 512;              ///< requests are multiples of it
inline constexpr base::Bytes kLargestSmall = 1 * base::kMiB;    ///< larger blocks come from the large pool
inline constexpr base::Bytes kSmallUnit = 2 * base::kMiB;       ///< segment, or growth, of the small pool
inline constexpr base::Bytes kLargeUnit = 20 * base::kMiB;      ///< the same of the large pool, as a rule
inline constexpr base::Bytes kOwnSegment = 10 * base::kMiB;     ///< from here on a segment is cut to measure
inline constexpr base::Bytes kSegmentStep = 2 * base::kMiB;     ///< ... in multiples of this
inline constexpr base::Bytes kTooLarge = base::Bytes{1} << 60;  ///< refused without looking, from here on

/// `bytes` up to the next multiple of `step`. Both above 0; bytes at most kTooLarge.
constexpr base::Bytes roundUp(base::Bytes bytes, base::Bytes step) {
    return (bytes + step - 1) / step * step;
}

/// Up to the next of `divisions` equal steps between the powers of two around `bytes`; a power of two stays.
/// divisions: a power of two, 2 or more, below bytes / 512.
constexpr base::Bytes roundToDivision(base::Bytes bytes, std::int64_t divisions) {
    const auto floor = static_cast<base::Bytes>(std::bit_floor(static_cast<std::uint64_t>(bytes)));
    return floor == bytes ? bytes : roundUp(bytes, floor / divisions);
}

/// The divisions that hold for a request, 0 where rounding to divisions is off.
inline std::int64_t divisionsFor(base::Bytes bytes, const AllocatorConfig& config) {
    if (bytes > config.roundupBypass) {
        return 0;
    }
    const int log2 = 63 - std::countl_zero(static_cast<std::uint64_t>(bytes));
    return config.roundupDivisions[static_cast<std::size_t>(std::clamp(log2 - 20, 0, kRoundupIntervals - 1))];
}

/// What a request of 1 B to kTooLarge occupies: at least 512 B; a division of its power of two where that is
/// on and the request is above 512 B x divisions; otherwise a multiple of 512 B. One division leaves the
/// request as it is before 2.4, and is off from 2.4 on.
inline base::Bytes roundedSize(base::Bytes bytes, const AllocatorConfig& config) {
    if (bytes < kSmallestBlock) {
        return kSmallestBlock;
    }
    const auto divisions = divisionsFor(bytes, config);
    if (divisions > 0 && bytes > kSmallestBlock * divisions) {
        if (divisions > 1) {
            return roundToDivision(bytes, divisions);
        }
        if (config.era != AllocatorEra::Torch2_4) {
            return bytes;
        }
    }
    return roundUp(bytes, kSmallestBlock);
}

constexpr bool isSmall(base::Bytes rounded) {
    return rounded <= kLargestSmall;
}

/// What is asked of the device when no cached block fits. largeSegment: AllocatorConfig::largeSegmentSize.
constexpr base::Bytes segmentSize(base::Bytes rounded, base::Bytes largeSegment = kLargeUnit) {
    if (isSmall(rounded)) {
        return kSmallUnit;
    }
    return rounded < kOwnSegment ? largeSegment : roundUp(rounded, kSegmentStep);
}

/// Whether a block found for a request keeps only the request and returns the rest.
inline bool splits(base::Bytes block, base::Bytes rounded, const AllocatorConfig& config) {
    if (isSmall(rounded) || config.expandableSegments) {
        return block - rounded >= kSmallestBlock;
    }
    return rounded < config.maxSplitSize && block - rounded > kLargestSmall;
}

/// Whether the best fitting block may serve a request at all under maxSplitSize.
inline bool mayServe(base::Bytes block, base::Bytes rounded, const AllocatorConfig& config) {
    if (rounded < config.maxSplitSize) {
        return block < config.maxSplitSize;
    }
    return block < rounded + config.maxNonSplitRounding;
}

}  // namespace highwater::memory
