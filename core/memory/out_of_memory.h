#pragma once

#include <algorithm>

#include "core/base/units.h"
#include "core/memory/allocator_blocks.h"

namespace highwater::memory {

/// Why a request failed: the state after everything that could be given back was given back (a request of 1
/// EiB or more is refused at once, with the cache as it was).
struct OutOfMemory {
    base::Bytes asked = 0;    ///< by the program
    base::Bytes rounded = 0;  ///< the block it needs (from 1 EiB on: asked)
    base::Bytes segment = 0;  ///< what PyTorch reports as tried: a segment for the block
    Stream stream = 0;
    base::Bytes limit = 0;        ///< the device's capacity, or what is allowed of it where that is less
    base::Bytes reserved = 0;     ///< segments and mapped memory
    base::Bytes allocated = 0;    ///< blocks in the program's hands
    base::Bytes largestFree = 0;  ///< the largest free block in any segment, of any stream and pool

    /// What the device still had.
    base::Bytes deviceFree() const { return std::max<base::Bytes>(0, limit - reserved); }
    /// Fragmentation: free memory inside segments, of no use to this request. Nothing waits for streams at
    /// this point, so this is reserved - allocated.
    base::Bytes fragmented() const { return reserved - allocated; }
    /// Whether the block would have fitted, had all free memory been in one piece.
    bool fragmentationDecided() const { return deviceFree() + fragmented() >= rounded; }

    bool operator==(const OutOfMemory&) const = default;
};

}  // namespace highwater::memory
