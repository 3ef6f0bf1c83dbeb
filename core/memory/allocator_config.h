#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "core/base/result.h"
#include "core/base/units.h"

namespace highwater::memory {

/// A PyTorch release, "2.4" as {2, 4}.
struct TorchVersion {
    int major = 2;
    int minor = 4;
    auto operator<=>(const TorchVersion&) const = default;
};

/// Spans of releases whose CUDA caching allocator follows the same rules: 1.13; 2.0 to 2.3; 2.4 and later.
enum class AllocatorEra : unsigned char { Torch1_13, Torch2_0, Torch2_4 };

/// Releases before 1.13 have no era of their own and count as 1.13.
AllocatorEra allocatorEra(TorchVersion version);

inline constexpr base::Bytes kUnlimited = std::numeric_limits<base::Bytes>::max();

/// Sizes of [2^i, 2^(i+1)) MiB share an interval; below 1 MiB counts to the first, from 32 GiB on to the
/// last.
inline constexpr int kRoundupIntervals = 16;

/// What PYTORCH_CUDA_ALLOC_CONF sets, for the native backend. The defaults are PyTorch's.
/// Source: c10/cuda/CUDACachingAllocator.cpp (1.13, 2.0), c10/cuda/CUDAAllocatorConfig.cpp (2.1 and later).
struct AllocatorConfig {
    AllocatorEra era = AllocatorEra::Torch2_4;

    /// Blocks of this size and more are neither split nor handed to smaller requests. Whole MiB, at least
    /// largeSegmentSize (above it before 2.10), or kUnlimited.
    base::Bytes maxSplitSize = kUnlimited;

    /// How much larger than the request an unsplittable block may be, exclusive. Whole MiB, at least
    /// largeSegmentSize; PyTorch 2.6 and later can change it.
    base::Bytes maxNonSplitRounding = 20 * base::kMiB;

    /// Reserved over allowed memory above which old free segments are given back: 0 (off) to 1, exclusive.
    /// Acts only where DeviceMemory::allowed is set.
    double garbageCollectionThreshold = 0;

    /// Steps between a power of two and the next that requests are rounded up to, by interval: 0 (off) or a
    /// power of two. 1.13 has one value for all intervals.
    std::array<std::int64_t, kRoundupIntervals> roundupDivisions{};

    /// 1.13: requests above it are not rounded to divisions. Otherwise kUnlimited.
    base::Bytes roundupBypass = kUnlimited;

    /// One growing segment per stream and pool instead of many (PyTorch 2.1 and later).
    bool expandableSegments = false;

    /// Segment of large requests below 10 MiB, and what an expandable large segment grows by. Whole MiB, at
    /// least 11 MiB; PyTorch 2.11 and later can change it. Of odd sizes the device takes 1 MiB more, which is
    /// not simulated.
    base::Bytes largeSegmentSize = 20 * base::kMiB;

    /// The part of the device's memory that may be reserved, 0 to 1 (no cap). DeviceMemory::allowed overrides
    /// it.
    double memoryFraction = 1;

    bool operator==(const AllocatorConfig&) const = default;
};

/// The device as this process meets it.
struct DeviceMemory {
    /// What the device has in all: 1 B to 16 TiB.
    base::Bytes total = 0;
    /// What is left for segments once the context and other processes have theirs: 0 to total.
    base::Bytes capacity = 0;
    /// The cap of torch.cuda.set_per_process_memory_fraction, where it was called: fraction x total.
    std::optional<base::Bytes> allowed;

    bool operator==(const DeviceMemory&) const = default;
};

/// An error where a value is outside the range stated above.
base::Status check(const AllocatorConfig& config);
base::Status check(const DeviceMemory& device);

/// Reads a value of PYTORCH_CUDA_ALLOC_CONF as `version` would: "max_split_size_mb:128,
/// expandable_segments:True,garbage_collection_threshold:0.8,roundup_power2_divisions:[256:1,512:2,>:4]".
/// Empty text gives the defaults. Refused in one line: what `version` does not know (naming the release that
/// does), values out of range, other backends than native, text over 4096 bytes, releases before 1.13.
/// Options of pinned host memory and of locking are accepted from 2.0 on and change nothing here; so does
/// throw_on_cudamalloc_oom, which changes how a request fails, not whether.
/// As in PyTorch a repeated option overrides the earlier one, and before 2.10 `>` covers the last named
/// interval too.
base::Result<AllocatorConfig> parseAllocatorConfig(std::string_view text, TorchVersion version);

}  // namespace highwater::memory
