#pragma once

#include <cstdint>
#include <vector>

#include "core/base/units.h"

namespace highwater::memory {

/// The index of a block within one allocator. Indices are reused after their block is gone.
using BlockIndex = std::uint32_t;
inline constexpr BlockIndex kNoBlock = 0xffffffffU;

/// A CUDA stream as a small number: 0 (the default stream) to kMostStreams - 1.
using Stream = std::uint16_t;
inline constexpr Stream kMostStreams = 1024;

enum class BlockState : std::uint8_t {
    Unused,     ///< no block: the index is unused
    Allocated,  ///< in use by the program
    Waiting,    ///< freed by the program, but other streams still use it
    Free,       ///< cached
    Unmapped    ///< addresses of an expandable segment that no memory is mapped to
};

/// A range of addresses inside a segment. The blocks of a segment form a list in address order, without gaps.
struct alignas(64) Block {
    std::int64_t address = 0;
    base::Bytes size = 0;
    base::Bytes requested = 0;  ///< size that the program requested, while Allocated or Waiting
    std::int64_t freedAt = 0;   ///< the pool's search count when the block became Free; gives its age
    std::int64_t range = 0;     ///< first address of its expandable segment
    BlockIndex previous = kNoBlock;
    BlockIndex next = kNoBlock;
    std::uint32_t events = 0;  ///< number of pending CUDA events, while Waiting
    Stream stream = 0;
    BlockState state = BlockState::Unused;
    bool small = false;          ///< belongs to the small pool, not the large one
    bool usedElsewhere = false;  ///< recordStream was called with another stream

    bool partOfSegment() const { return previous != kNoBlock || next != kNoBlock; }
};

/// All blocks by index; indices are reused. add() invalidates references to blocks.
class BlockTable {
public:
    Block& operator[](BlockIndex i) { return blocks_[i]; }
    const Block& operator[](BlockIndex i) const { return blocks_[i]; }
    BlockIndex size() const { return static_cast<BlockIndex>(blocks_.size()); }

    BlockIndex add(const Block& block) {
        if (unused_.empty()) {
            blocks_.push_back(block);
            return size() - 1;
        }
        const BlockIndex i = unused_.back();
        unused_.pop_back();
        blocks_[i] = block;
        return i;
    }

    void remove(BlockIndex i) {
        blocks_[i].state = BlockState::Unused;
        unused_.push_back(i);
    }

private:
    std::vector<Block> blocks_;
    std::vector<BlockIndex> unused_;
};

}  // namespace highwater::memory
