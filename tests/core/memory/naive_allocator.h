#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "core/memory/allocator_config.h"
#include "core/memory/allocator_snapshot.h"
#include "core/memory/allocator_stats.h"
#include "core/memory/out_of_memory.h"

namespace highwater::memory::testing {

/// A second implementation of the rules of docs/memory-model.md, section 1, for comparison: no sets, no
/// links, no incremental statistics. Ranges of addresses are lists of pieces that are searched linearly, and
/// every statistic is recomputed after every change.
class NaiveAllocator {
public:
    NaiveAllocator(const AllocatorConfig& config, const DeviceMemory& device)
        : config_(config), device_(device) {}

    bool allocate(int tensor, base::Bytes bytes, Stream stream);
    void free(int tensor);
    void recordStream(int tensor, Stream stream);
    void streamDone(Stream stream);
    void emptyCache() { giveBackAll(); }

    /// Addresses are relative to the start of each segment.
    AllocatorSnapshot snapshot() const;
    /// The segment of snapshot() and the offset in it.
    std::pair<std::size_t, base::Bytes> where(int tensor) const;
    const AllocatorStats& stats() const { return stats_; }
    const std::optional<OutOfMemory>& outOfMemory() const { return outOfMemory_; }

private:
    struct Piece {
        base::Bytes size = 0;
        BlockState state = BlockState::Free;
        base::Bytes requested = 0;
        std::int64_t age = 0;
        int tensor = -1;
        std::vector<Stream> users;  // streams that used it; while Waiting, those not done
    };
    struct Range {
        Stream stream = 0;
        bool small = false;
        std::vector<Piece> pieces;
    };
    struct Spot {
        std::size_t range = 0;
        std::size_t piece = 0;
    };
    struct Wish {
        base::Bytes asked = 0, rounded = 0;
        Stream stream = 0;
        bool small = false;
    };

    base::Bytes rounded(base::Bytes bytes) const;
    base::Bytes segment(base::Bytes size) const;
    base::Bytes unit(bool small) const;
    base::Bytes reserved() const;
    bool wholeAndFree(const Range& range) const;
    Spot spotOf(int tensor) const;
    std::vector<Spot> freeSpots(Stream stream, bool small) const;
    std::optional<Spot> cached(const Wish& wish);
    std::optional<Spot> fromDevice(const Wish& wish);
    std::optional<Spot> grow(const Wish& wish);
    std::optional<std::pair<std::size_t, base::Bytes>> room(const Wish& wish);
    void handOut(Spot spot, const Wish& wish);
    void collect();
    bool giveBackOversize(const Wish& wish);
    void giveBackAll();
    void giveBackUnits(Range& range);
    void drop(std::size_t range);
    void finish(bool all);
    void becomeFree(Spot spot);
    void join(Range& range);
    void count();

    AllocatorConfig config_;
    DeviceMemory device_;
    std::vector<Range> ranges_;                       // by address
    std::vector<std::pair<int, Stream>> doneEvents_;  // waiting tensors whose stream is done
    int nextWaiting_ = -2;
    AllocatorStats stats_;
    std::optional<OutOfMemory> outOfMemory_;
};

}  // namespace highwater::memory::testing
