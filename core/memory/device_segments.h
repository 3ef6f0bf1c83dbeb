#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "core/memory/allocator_config.h"
#include "core/memory/allocator_snapshot.h"
#include "core/memory/device_event.h"

namespace highwater::memory {

/// The reserved memory of one device, in bytes. Every byte is counted exactly once; no value is negative.
struct SegmentTotals {
    base::Bytes requested = 0;  ///< requested sizes of the allocated blocks
    base::Bytes rounding = 0;   ///< sizes of these blocks minus `requested`: rounding, and remainders that
                                ///< were not split off
    base::Bytes split = 0;    ///< free, but emptyCache() cannot release it: other parts of its segment are in
                              ///< use
    base::Bytes cache = 0;    ///< free, and emptyCache() would release it
    base::Bytes pending = 0;  ///< blocks that the program freed while another stream still uses them

    base::Bytes pendingRequested = 0;  ///< requested sizes of the pending blocks

    base::Bytes allocated() const { return requested + rounding; }     ///< allocated_bytes
    base::Bytes active() const { return allocated() + pending; }       ///< active_bytes
    base::Bytes reserved() const { return active() + split + cache; }  ///< reserved_bytes
    bool operator==(const SegmentTotals&) const = default;
};

struct SegmentCounts {
    std::int64_t allocations = 0;        ///< blocks in use by the program
    std::int64_t pending = 0;            ///< blocks that wait for a stream
    std::int64_t segments = 0;           ///< from cudaMalloc; as in PyTorch, expandable ones are not counted
    std::int64_t deviceAllocations = 0;  ///< successful cudaMalloc or mappings
    std::int64_t deviceFrees = 0;        ///< cudaFree or unmappings
    std::int64_t outOfMemories = 0;      ///< requests that failed
    /// How often the whole cache was released to serve a request, as far as the events show it. Not visible:
    /// the case that the cache had nothing to release and the request still succeeded.
    std::int64_t retries = 0;
    /// Events that contradict this state: an address that is unknown, overlaps another, or is in another
    /// state.
    std::int64_t inconsistencies = 0;

    bool operator==(const SegmentCounts&) const = default;
};

/// Reconstructs the exact state of PyTorch's CUDA caching allocator on one device from the events that the
/// allocator reports. Events do not contain block sizes. They follow from the requested size (roundedSize)
/// and from the free memory that followed the block when it was allocated (splits).
///
/// The state is complete only if take() gets every event, in order, from the first segment on. An event that
/// contradicts the state is counted and otherwise ignored. Memory use is proportional to the number of
/// blocks. Not thread-safe; the allocator reports while it holds its lock.
class DeviceSegments {
public:
    explicit DeviceSegments(const AllocatorConfig& config = {}) : config_(config) {}

    /// Takes one event; logarithmic in the number of blocks. Returns the block of an Allocate (its size is
    /// now known), a FreeRequested or a FreeCompleted (as it was before the event). Returns std::nullopt for
    /// other events and if the event was ignored. Running out of host memory counts as an inconsistency.
    std::optional<BlockInfo> take(const DeviceEvent& event) noexcept;

    /// Sets the rules for allocations from now on (torch.cuda.memory._set_allocator_settings).
    void configure(const AllocatorConfig& config) { config_ = config; }

    /// Call this when the program itself called emptyCache(), so that the released memory is not counted as a
    /// retry.
    void cacheEmptied() noexcept { gaveBack_ = false; }

    const SegmentTotals& totals() const { return totals_; }
    const SegmentCounts& counts() const { return counts_; }

    /// The segments in address order with their free and used parts. Streams are numbered in the order of
    /// their first use; the default stream is 0. All streams past kMostStreams share the last number.
    AllocatorSnapshot snapshot() const;

    /// The largest contiguous free range in bytes, over all streams and pools.
    base::Bytes largestFree() const;

    /// The largest size in bytes that one allocation on `stream` could request without new memory from the
    /// device; 0 if every request needs some. An estimate if both expandable segments and a max_split_size
    /// are set.
    base::Bytes largestFit(std::uint64_t stream = 0) const;

private:
    struct Segment {
        base::Bytes size = 0;
        base::Bytes unit = 0;  // step in which an expandable segment is mapped and unmapped; 0 otherwise
        Stream stream = 0;
        bool small = false;
        bool continues(const Segment& other) const {
            return unit > 0 && unit == other.unit && stream == other.stream && small == other.small;
        }
    };
    /// The parts cover their segment without gaps. Two neighbors in one segment are never both free.
    struct Part {
        base::Bytes size = 0;
        base::Bytes requested = 0;
        BlockState state = BlockState::Free;
    };
    using Segments = std::map<std::int64_t, Segment>;
    using Parts = std::map<std::int64_t, Part>;

    using Taken = std::optional<BlockInfo>;

    Taken apply(const DeviceEvent& event);
    Taken allocate(const DeviceEvent& event);
    Taken requestFree(const DeviceEvent& event);
    Taken completeFree(const DeviceEvent& event);
    Taken addSegment(const DeviceEvent& event);
    Taken freeSegment(const DeviceEvent& event);
    Taken map(const DeviceEvent& event);
    Taken unmap(const DeviceEvent& event);
    Taken outOfMemory();
    Taken contradiction();

    // device_segments_ranges.cpp
    Segments::iterator segmentOf(std::int64_t address);
    bool mayAdd(const DeviceEvent& event) const;
    void insertRange(std::int64_t begin, const Segment& segment);
    void joinSegments(Segments::iterator segment);
    void joinFree(Segments::iterator segment, Parts::iterator part);
    void removeRange(Segments::iterator segment, Parts::iterator part, std::int64_t begin, base::Bytes bytes);
    static base::Bytes givable(const Segments::value_type& segment, const Parts::value_type& part);
    void countFree(Segments::const_iterator segment, Parts::const_iterator part, int sign);

    void countRetry();
    Stream numberOf(std::uint64_t stream);

    AllocatorConfig config_;
    SegmentTotals totals_;
    SegmentCounts counts_;
    Segments segments_;  // by address: a cudaMalloc segment, or a contiguous range of mapped memory
    Parts parts_;        // by address
    std::vector<std::uint64_t> streams_{0};
    bool gaveBack_ = false;  // memory was released since the program's last successful allocation or free
    bool retried_ = false;   // the request under way has been counted as a retry
};

}  // namespace highwater::memory
