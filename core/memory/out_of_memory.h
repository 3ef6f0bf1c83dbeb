#pragma once

#include <algorithm>

#include "core/base/units.h"
#include "core/memory/allocator_blocks.h"

namespace highwater::memory {

/// Why a request failed, with the state after the allocator had released everything that it could. A request
/// of 1 EiB or more is refused at once, without releasing anything.
struct OutOfMemory {
    base::Bytes asked = 0;    ///< requested by the program
    base::Bytes rounded = 0;  ///< size of the block it needs (from 1 EiB on: asked)
    base::Bytes segment = 0;  ///< size of the segment for the block; PyTorch reports it as the size that it
                              ///< tried
    Stream stream = 0;
    base::Bytes limit = 0;        ///< the device's capacity, or the allowed memory if that is less
    base::Bytes reserved = 0;     ///< segments and mapped memory
    base::Bytes allocated = 0;    ///< blocks in use by the program
    base::Bytes largestFree = 0;  ///< the largest free block in any segment, of any stream and pool

    /// Bytes that the device still had.
    base::Bytes deviceFree() const { return std::max<base::Bytes>(0, limit - reserved); }
    /// Fragmentation: free memory inside segments that could not serve this request. No block waits for a
    /// stream at this point, so this is reserved - allocated.
    base::Bytes fragmented() const { return reserved - allocated; }
    /// Whether the block would have fit if all free memory were contiguous.
    bool fragmentationDecided() const { return deviceFree() + fragmented() >= rounded; }

    bool operator==(const OutOfMemory&) const = default;
};

}  // namespace highwater::memory
