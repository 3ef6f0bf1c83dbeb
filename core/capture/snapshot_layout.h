#pragma once

#include <vector>

#include "core/base/result.h"
#include "core/memory/trace.h"

namespace highwater::capture {

/// A block's properties in a snapshot, which stay the same for its whole life.
struct BlockFacts {
    std::int64_t address = 0;
    memory::Category category = memory::Category::Temporaries;  ///< its last category
    memory::Phase phase = memory::Phase::Setup;                 ///< phase in which it was allocated
    std::int16_t layer = -1;                                    ///< layer in which it was allocated
    bool before = false;                                        ///< live at the start
    bool alive = false;                                         ///< live at the end
};

struct SnapshotLayout {
    /// The first address, in the range of CUDA's addresses; a double holds them exactly.
    static constexpr std::int64_t kBase = 0x7f0000000000;
    std::vector<BlockFacts> blocks;  ///< same indices as Trace::blocks
    base::Bytes extent = 0;          ///< size of the one segment that contains them, from kBase
};

/// Computes every block's address and properties. Error if the blocks do not fit.
base::Result<SnapshotLayout> layOut(const memory::Trace& trace);

/// The bytes that a block takes in the segment.
base::Bytes takenBytes(const memory::TraceBlock& block);

}  // namespace highwater::capture
