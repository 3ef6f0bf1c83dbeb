#pragma once

#include <optional>

#include "core/memory/out_of_memory.h"
#include "core/predict/walk.h"

/// A walk's requests through the rules of PyTorch's caching allocator. Private to core/predict.
namespace highwater::predict {

inline constexpr base::Bytes kMostMemory = base::Bytes{1} << 44;  ///< the simulator's most

/// Which end of every size's range is asked for.
enum class Level { Low, Expected, High };

struct Outcome {
    base::Bytes peakReserved = 0;
    base::Bytes fragmentation = 0;  ///< reserved but not allocated, when reserved was at its highest first
    std::optional<memory::OutOfMemory> outOfMemory;
    std::size_t event = 0;  ///< that failed
};

/// On a device with so much memory for the allocator. With `yields`, a request whose size is a range is tried
/// at its lower ends, too, before the run ends: LibTorch takes the next plan of cuDNN.
Outcome replay(const Walk& walk, Level level, bool yields, const memory::AllocatorConfig& config,
               base::Bytes capacity);

}  // namespace highwater::predict
