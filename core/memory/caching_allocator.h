#pragma once

#include <array>
#include <deque>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/memory/allocator_blocks.h"
#include "core/memory/allocator_config.h"
#include "core/memory/allocator_snapshot.h"
#include "core/memory/allocator_stats.h"
#include "core/memory/device_event.h"
#include "core/memory/out_of_memory.h"
#include "core/memory/sorted_blocks.h"

namespace highwater::memory {

/// A simulation of PyTorch's CUDA caching allocator (native backend) for one device: it makes the same
/// decisions for the same requests, without a device. Source of the rules: c10/cuda/CUDACachingAllocator.cpp,
/// 1.13 to 2.8; compared with the allocators of LibTorch 2.11 and 2.15 event by event (docs/predicting.md).
///
/// Not simulated: private pools of CUDA graphs, user memory pools, free-memory callbacks. Two undocumented
/// properties of the driver are assumed: cudaMalloc succeeds while reserved memory stays within the capacity,
/// and it returns ascending addresses. So among free blocks of equal size, the one in the oldest segment is
/// taken first. That is the rule of LibTorch 2.15; 2.11 takes the lowest address.
class CachingAllocator {
public:
    /// Error if check() returns one.
    static base::Result<CachingAllocator> create(const AllocatorConfig& config, const DeviceMemory& device);

    /// Returns a block of at least `bytes` for `stream`, or std::nullopt if out of memory; outOfMemory() then
    /// says why. bytes: 1 or more (PyTorch gives no block for 0 bytes); stream: below kMostStreams.
    std::optional<BlockIndex> allocate(base::Bytes bytes, Stream stream = 0);

    /// Frees an allocated block. While other streams use it, it stays active (BlockState::Waiting).
    void free(BlockIndex block);

    /// Marks an allocated block as used by another stream (Tensor.record_stream). Has no effect for the
    /// block's own stream.
    void recordStream(BlockIndex block, Stream stream);

    /// Tells the allocator that the device has finished all work submitted to `stream` so far. As in PyTorch,
    /// blocks that waited for it return to the cache at the next request.
    void streamDone(Stream stream);

    /// Returns to the cache the blocks that waited for streams that have finished. Every request does so
    /// first.
    void takeBack() { finishDoneEvents(); }

    /// Whether the cache in its current state could serve a request, without memory from the device.
    bool hasCached(base::Bytes bytes, Stream stream = 0) const;

    /// The segment that a request would release first if the driver refused it memory: with max_split_size,
    /// one segment is released before all others, out of order. std::nullopt if there is none.
    std::optional<std::int64_t> oversizeFor(base::Bytes bytes, Stream stream = 0) const;

    /// torch.cuda.empty_cache(): waits for all streams, then releases all memory that no active block
    /// occupies.
    void emptyCache();

    /// Restores a state, before the first request: cudaMalloc segments, not expandable ones, with blocks that
    /// are Allocated or Free. Returns the allocated blocks in the order given. Error if no allocator can have
    /// this state: overlapping segments, blocks that do not cover their segment, two free neighbors, an
    /// invalid size.
    base::Result<std::vector<BlockIndex>> restore(const AllocatorSnapshot& segments);

    /// torch.cuda.reset_peak_memory_stats().
    void resetPeakStats() { resetPeaks(stats_); }

    /// Called for every event that PyTorch's allocator reports, in the same order. Events contain the
    /// stream's number.
    using Observer = std::function<void(const DeviceEvent&)>;
    void observe(Observer observer) { observer_ = std::move(observer); }

    /// Returns the address of a new segment, or of the address range of an expandable one, of `bytes`: 2 MiB
    /// aligned, not in use, at most 2^62. Without a placement, addresses ascend. Among free blocks of equal
    /// size, the lowest address is taken first.
    using Placement = std::function<std::int64_t(base::Bytes bytes, Stream stream, bool small)>;
    void place(Placement placement) { placement_ = std::move(placement); }

    /// Called before `bytes` are taken from the device; returns whether the driver provides them. Without a
    /// driver, memory is available up to the capacity.
    using Driver = std::function<bool(base::Bytes bytes)>;
    void drive(Driver driver) { driver_ = std::move(driver); }

    const Block& block(BlockIndex i) const { return blocks_[i]; }
    const AllocatorStats& stats() const { return stats_; }
    const AllocatorConfig& config() const { return config_; }
    const DeviceMemory& device() const { return device_; }
    /// The last request that failed.
    const std::optional<OutOfMemory>& outOfMemory() const { return outOfMemory_; }
    AllocatorSnapshot snapshot() const;

private:
    struct Pool {
        SortedBlocks free;      // by size, then address
        SortedBlocks unmapped;  // by address
    };
    struct Request {
        base::Bytes asked = 0;
        base::Bytes rounded = 0;
        Stream stream = 0;
        bool small = false;
    };
    struct Events {
        std::deque<BlockIndex> blocks;  // one entry per event, in the order recorded
        std::size_t done = 0;           // how many of these have completed, from the front
    };

    CachingAllocator(const AllocatorConfig& config, const DeviceMemory& device);

    Pool& pool(Stream stream, bool small) { return pools_[stream * 2U + (small ? 0U : 1U)]; }
    const Pool& pool(Stream stream, bool small) const { return pools_[stream * 2U + (small ? 0U : 1U)]; }
    PoolStats& statsOf(bool small) { return small ? stats_.small : stats_.large; }
    base::Bytes reserved() const { return stats_.all.reservedBytes.current; }
    base::Bytes limit() const;
    base::Bytes unitOf(bool small) const;
    std::optional<std::int64_t> newAddress(base::Bytes bytes, const Request& request);
    bool gives(base::Bytes bytes) const;
    bool collectsGarbage() const;
    void reach(Stream stream);
    void report(DeviceEvent::Kind kind, std::int64_t address, base::Bytes bytes, Stream stream) const {
        if (observer_) {
            observer_({kind, address, bytes, stream});
        }
    }

    // caching_allocator.cpp: cached blocks
    BlockIndex takeCached(const Request& request);
    SortedBlocks::Place bestFit(const SortedBlocks& free, const Request& request) const;
    BlockIndex handOut(BlockIndex found, const Request& request);
    BlockIndex cutFront(BlockIndex found, base::Bytes size);
    void toCache(BlockIndex block);
    void fromCache(BlockIndex block);
    void cacheFreed(BlockIndex block);
    base::Bytes merge(BlockIndex into, BlockIndex other);
    void chain(BlockIndex before, BlockIndex block, BlockIndex after);

    // caching_allocator_device.cpp: memory from and back to the device
    BlockIndex fromDevice(const Request& request);
    BlockIndex tryDevice(const Request& request);
    BlockIndex newSegment(const Request& request);
    bool releaseOversize(const Request& request);
    void releaseCached();
    void releasePool(Pool& from);
    void releaseSegment(BlockIndex block);
    void collectGarbage();
    void fail(const Request& request);
    void refuse(const Request& request);
    void countReserved(bool small, base::Bytes change);

    // caching_allocator_expandable.cpp: expandable segments
    BlockIndex growExpandable(const Request& request);
    BlockIndex findRoom(const Request& request, base::Bytes unit);
    bool hasRoom(BlockIndex from, base::Bytes bytes) const;
    bool idle(BlockIndex block) const;
    base::Bytes growableSize(BlockIndex block) const;
    bool map(BlockIndex block, base::Bytes bytes, base::Bytes unit);
    void unmap(BlockIndex block);

    // caching_allocator_restore.cpp: restoring a state
    void restoreSegment(const SegmentInfo& segment, std::vector<BlockIndex>& allocated);
    void restoreBlock(const BlockInfo& info, BlockIndex index, bool part);

    // caching_allocator_streams.cpp: blocks used by several streams
    void recordEvents(BlockIndex block);
    void finishEvents(Events& events, std::size_t count);
    void finishDoneEvents();
    void waitForStreams();

    AllocatorConfig config_;
    DeviceMemory device_;
    AllocatorStats stats_;
    BlockTable blocks_;
    std::vector<Pool> pools_;                 // two per stream: small, large
    std::array<std::int64_t, 2> searches_{};  // searches in the large and the small pools; used only for ages
    std::int64_t nextAddress_;
    std::vector<Events> events_;  // by stream
    std::size_t doneEvents_ = 0;  // over all streams: events that happened but are not processed yet
    std::unordered_map<BlockIndex, std::vector<Stream>> users_;
    std::optional<OutOfMemory> outOfMemory_;
    Observer observer_;
    Placement placement_;
    Driver driver_;
};

}  // namespace highwater::memory
