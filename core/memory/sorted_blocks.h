#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/units.h"
#include "core/memory/allocator_blocks.h"

namespace highwater::memory {

/// The sort key of a set: size, then address. Sets ordered by address alone use size 0.
struct BlockKey {
    base::Bytes size = 0;
    std::int64_t address = 0;
    auto operator<=>(const BlockKey&) const = default;
};

/// A sorted set of blocks, laid out for few cache misses: the entries are in sorted runs of up to kRun, and
/// the greatest keys of all runs are stored together. Lookup takes two binary searches; a change moves half a
/// run on average. Any change of the set invalidates Places.
class SortedBlocks {
public:
    struct Entry {
        BlockKey key;
        BlockIndex block = kNoBlock;
    };
    struct Place {
        std::uint32_t run = 0;
        std::uint32_t slot = 0;
        bool operator==(const Place&) const = default;
    };

    /// The key must not be in the set.
    void insert(BlockKey key, BlockIndex block);
    /// The key must be in the set.
    void erase(BlockKey key);
    void eraseAt(Place place);

    Place begin() const { return {}; }
    Place end() const { return {static_cast<std::uint32_t>(runs_.size()), 0}; }
    bool empty() const { return runs_.empty(); }
    /// The first entry whose key is not below `key`.
    Place lowerBound(BlockKey key) const;
    const Entry& at(Place place) const { return runs_[place.run]->entries[place.slot]; }
    Place after(Place place) const;
    /// The entry before `place`, which must not be begin().
    Place before(Place place) const;

    template <class Function>
    void forEach(Function function) const {
        for (const auto& run : runs_) {
            for (std::uint32_t i = 0; i < run->count; ++i) {
                function(run->entries[i]);
            }
        }
    }

private:
    static constexpr std::uint32_t kRun = 64;
    struct Run {
        std::uint32_t count = 0;
        Entry entries[kRun];
    };

    std::uint32_t slotFor(const Run& run, BlockKey key) const;
    void splitRun(std::uint32_t run);

    std::vector<std::unique_ptr<Run>> runs_;
    std::vector<BlockKey> greatest_;
};

}  // namespace highwater::memory
