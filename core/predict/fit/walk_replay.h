#pragma once

#include <optional>

#include "core/memory/out_of_memory.h"
#include "core/predict/ghost/walk.h"

/// Replays a walk's requests with the rules of PyTorch's caching allocator. Private to core/predict.
namespace highwater::predict {

inline constexpr base::Bytes kMostMemory = base::Bytes{1} << 44;  ///< the simulator's limit

/// Which end of each size's range is requested.
enum class Level { Low, Expected, High };

struct Outcome {
    base::Bytes peakReserved = 0;
    /// The maximum memory given out at once, in whole blocks, including the bytes added by rounding and
    /// unsplit remainders, as torch.cuda.max_memory_allocated() counts it.
    base::Bytes peakAllocated = 0;
    base::Bytes fragmentation = 0;  ///< reserved but not allocated, when reserved memory first reached its
                                    ///< peak
    std::optional<memory::OutOfMemory> outOfMemory;
    std::size_t event = 0;  ///< index of the event that failed
};

/// Replays on a device with `capacity` bytes for the allocator. With `yields`, a request whose size is a
/// range is retried at its lower ends before the run fails, because LibTorch tries cuDNN's next plan. A
/// workspace that cuDNN was asked about (WalkBlock::least) is always retried.
Outcome replay(const Walk& walk, Level level, bool yields, const memory::AllocatorConfig& config,
               base::Bytes capacity);

}  // namespace highwater::predict
