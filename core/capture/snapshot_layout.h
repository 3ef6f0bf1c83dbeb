#pragma once

#include <vector>

#include "core/base/result.h"
#include "core/memory/trace.h"

namespace highwater::capture {

/// What a snapshot says of a block for the whole of its life.
struct BlockFacts {
    std::int64_t address = 0;
    memory::Category category = memory::Category::Temporaries;  ///< the last that it had
    memory::Phase phase = memory::Phase::Setup;                 ///< in which it was allocated
    std::int16_t layer = -1;                                    ///< at which it was allocated
    bool before = false;                                        ///< alive at the start
    bool alive = false;                                         ///< at the end
};

struct SnapshotLayout {
    /// Where CUDA's addresses lie; a double holds them exactly.
    static constexpr std::int64_t kBase = 0x7f0000000000;
    std::vector<BlockFacts> blocks;  ///< as Trace::blocks
    base::Bytes extent = 0;          ///< of the one segment that they all lie in, from kBase
};

/// Gives every block its address, and finds what it ends as. The error says that they do not fit.
base::Result<SnapshotLayout> layOut(const memory::Trace& trace);

/// What a block takes there.
base::Bytes takenBytes(const memory::TraceBlock& block);

}  // namespace highwater::capture
