#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "core/memory/allocator_config.h"

namespace highwater::memory {

/// The size rules of PyTorch's CUDA caching allocator, one function per rule; sizes in bytes. Source:
/// c10/cuda/CUDACachingAllocator.cpp of 1.13 to 2.8; 2.11 and 2.15 were observed to follow them.

inline constexpr base::Bytes kSmallestBlock = 512;            ///< requests are rounded up to a multiple of
                                                              ///< this
inline constexpr base::Bytes kLargestSmall = 1 * base::kMiB;  ///< larger blocks come from the large pool
inline constexpr base::Bytes kSmallUnit = 2 * base::kMiB;     ///< segment size, or growth step, of the small
                                                              ///< pool
inline constexpr base::Bytes kLargeUnit = 20 * base::kMiB;    ///< the same for the large pool, by default
/// Requests of this size or more get a segment of their own size, rounded up to a multiple of kSegmentStep.
inline constexpr base::Bytes kOwnSegment = 10 * base::kMiB;
inline constexpr base::Bytes kSegmentStep = 2 * base::kMiB;
/// Requests of this size or more are refused at once.
inline constexpr base::Bytes kTooLarge = base::Bytes{1} << 60;

/// Rounds `bytes` up to the next multiple of `step`. Both above 0; bytes at most kTooLarge.
constexpr base::Bytes roundUp(base::Bytes bytes, base::Bytes step) {
    return (bytes + step - 1) / step * step;
}

/// Rounds up to the next of `divisions` equal steps between the powers of two around `bytes`. A power of two
/// is not changed. divisions: a power of two, 2 or more, below bytes / 512.
constexpr base::Bytes roundToDivision(base::Bytes bytes, std::int64_t divisions) {
    const auto floor = static_cast<base::Bytes>(std::bit_floor(static_cast<std::uint64_t>(bytes)));
    return floor == bytes ? bytes : roundUp(bytes, floor / divisions);
}

/// Returns the divisions that apply to a request; 0 if rounding to divisions is off.
inline std::int64_t divisionsFor(base::Bytes bytes, const AllocatorConfig& config) {
    if (bytes > config.roundupBypass) {
        return 0;
    }
    const int log2 = 63 - std::countl_zero(static_cast<std::uint64_t>(bytes));
    return config.roundupDivisions[static_cast<std::size_t>(std::clamp(log2 - 20, 0, kRoundupIntervals - 1))];
}

/// Returns the block size that a request of 1 B to kTooLarge needs: at least 512 B. If rounding to divisions
/// is on and the request is above 512 B x divisions, a division of its power of two; otherwise a multiple of
/// 512 B. A setting of one division leaves the request unrounded before 2.4, and counts as off from 2.4 on.
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

/// Returns the size of the segment requested from the device when no cached block fits. largeSegment:
/// AllocatorConfig::largeSegmentSize.
constexpr base::Bytes segmentSize(base::Bytes rounded, base::Bytes largeSegment = kLargeUnit) {
    if (isSmall(rounded)) {
        return kSmallUnit;
    }
    return rounded < kOwnSegment ? largeSegment : roundUp(rounded, kSegmentStep);
}

/// Whether the free block found for a request is split, leaving its remainder free.
inline bool splits(base::Bytes block, base::Bytes rounded, const AllocatorConfig& config) {
    if (isSmall(rounded) || config.expandableSegments) {
        return block - rounded >= kSmallestBlock;
    }
    return rounded < config.maxSplitSize && block - rounded > kLargestSmall;
}

/// Whether maxSplitSize allows the best fitting block to serve the request at all.
inline bool mayServe(base::Bytes block, base::Bytes rounded, const AllocatorConfig& config) {
    if (rounded < config.maxSplitSize) {
        return block < config.maxSplitSize;
    }
    return block < rounded + config.maxNonSplitRounding;
}

}  // namespace highwater::memory
