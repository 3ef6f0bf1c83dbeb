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

/// A PyTorch release: "2.4" is {2, 4}.
struct TorchVersion {
    int major = 2;
    int minor = 4;
    auto operator<=>(const TorchVersion&) const = default;
};

/// Groups of releases whose CUDA caching allocator follows the same rules: 1.13; 2.0 to 2.3; 2.4 and later.
enum class AllocatorEra : unsigned char { Torch1_13, Torch2_0, Torch2_4 };

/// Releases before 1.13 count as 1.13.
AllocatorEra allocatorEra(TorchVersion version);

inline constexpr base::Bytes kUnlimited = std::numeric_limits<base::Bytes>::max();

/// Number of size intervals for roundupDivisions. Interval i holds sizes in [2^i, 2^(i+1)) MiB; sizes below 1
/// MiB belong to the first interval, sizes from 32 GiB on to the last.
inline constexpr int kRoundupIntervals = 16;

/// The settings of PYTORCH_CUDA_ALLOC_CONF for the native backend. The defaults are PyTorch's. Source:
/// c10/cuda/CUDACachingAllocator.cpp (1.13, 2.0), c10/cuda/CUDAAllocatorConfig.cpp (2.1 and later).
struct AllocatorConfig {
    AllocatorEra era = AllocatorEra::Torch2_4;

    /// max_split_size: blocks of this size or more are neither split nor used for smaller requests. Whole
    /// MiB; at least largeSegmentSize (above it before 2.10); or kUnlimited.
    base::Bytes maxSplitSize = kUnlimited;

    /// An unsplittable block may serve a request only if it is larger by less than this. Whole MiB, at least
    /// largeSegmentSize. Only PyTorch 2.6 and later can change it.
    base::Bytes maxNonSplitRounding = 20 * base::kMiB;

    /// Once reserved memory exceeds this fraction of the allowed memory, old free segments are released. 0
    /// (off) to 1, exclusive. Has an effect only if DeviceMemory::allowed is set.
    double garbageCollectionThreshold = 0;

    /// Requests are rounded up to one of this many equal steps between two powers of two. One value per size
    /// interval: 0 (off) or a power of two. 1.13 has one value for all intervals.
    std::array<std::int64_t, kRoundupIntervals> roundupDivisions{};

    /// Only in 1.13: requests above this size are not rounded to divisions. Otherwise kUnlimited.
    base::Bytes roundupBypass = kUnlimited;

    /// One growing segment per stream and pool instead of many (PyTorch 2.1 and later).
    bool expandableSegments = false;

    /// Size of the segment for large requests below 10 MiB, and the step by which an expandable large segment
    /// grows. Whole MiB, at least 11 MiB. Only PyTorch 2.11 and later can change it. For an odd number of MiB
    /// the device takes 1 MiB more; this is not simulated.
    base::Bytes largeSegmentSize = 20 * base::kMiB;

    /// The fraction of the device's memory that may be reserved: 0 to 1 (1: no cap). DeviceMemory::allowed
    /// overrides it.
    double memoryFraction = 1;

    bool operator==(const AllocatorConfig&) const = default;
};

/// The device's memory that this process can use.
struct DeviceMemory {
    /// The device's total memory: 1 B to 16 TiB.
    base::Bytes total = 0;
    /// The memory left for segments after the CUDA context and other processes took theirs: 0 to total.
    base::Bytes capacity = 0;
    /// The cap set by torch.cuda.set_per_process_memory_fraction (fraction x total); std::nullopt if it was
    /// not called.
    std::optional<base::Bytes> allowed;

    bool operator==(const DeviceMemory&) const = default;
};

/// Error if a value is outside the range stated above.
base::Status check(const AllocatorConfig& config);
base::Status check(const DeviceMemory& device);

/// Reads a value of PYTORCH_CUDA_ALLOC_CONF as PyTorch `version` would: "max_split_size_mb:128,
/// expandable_segments:True,garbage_collection_threshold:0.8,roundup_power2_divisions:[256:1,512:2,>:4]".
/// Empty text gives the defaults. Errors, one line: an option that `version` does not know (the message names
/// the release that does), a value out of range, a backend other than native, text over 4096 bytes, a release
/// before 1.13. Options for pinned host memory and for locking are accepted from 2.0 on and have no effect
/// here. The same holds for throw_on_cudamalloc_oom, which changes how a request fails, not whether it does.
/// As in PyTorch, a repeated option overrides the earlier one, and before 2.10 `>` also sets the interval of
/// the last named size.
base::Result<AllocatorConfig> parseAllocatorConfig(std::string_view text, TorchVersion version);

}  // namespace highwater::memory
