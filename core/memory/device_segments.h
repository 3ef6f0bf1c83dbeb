#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "core/memory/allocator_config.h"
#include "core/memory/allocator_snapshot.h"
#include "core/memory/device_event.h"

namespace highwater::memory {

/// What the allocator has of the device, each byte in one place; none is below 0.
struct SegmentTotals {
    base::Bytes requested = 0;  ///< asked for by what the program holds
    base::Bytes rounding = 0;   ///< sizes of its blocks less that: rounding and slack that was not split off
    base::Bytes split = 0;      ///< free, but the cache cannot be rid of it: other parts of it are in use
    base::Bytes cache = 0;      ///< free, and emptyCache() would give it back
    base::Bytes pending = 0;    ///< blocks that the program freed and another stream still uses

    base::Bytes pendingRequested = 0;  ///< of pending, what had been asked for

    base::Bytes allocated() const { return requested + rounding; }     ///< allocated_bytes
    base::Bytes active() const { return allocated() + pending; }       ///< active_bytes
    base::Bytes reserved() const { return active() + split + cache; }  ///< reserved_bytes
    bool operator==(const SegmentTotals&) const = default;
};

struct SegmentCounts {
    std::int64_t allocations = 0;        ///< blocks in the program's hands
    std::int64_t pending = 0;            ///< blocks that wait for a stream
    std::int64_t segments = 0;           ///< from cudaMalloc; expandable ones are not counted, as in PyTorch
    std::int64_t deviceAllocations = 0;  ///< successful cudaMalloc or mappings
    std::int64_t deviceFrees = 0;        ///< cudaFree or unmappings
    std::int64_t outOfMemories = 0;      ///< requests that failed
    /// Times that the whole cache was given back to serve a request, as far as events show it: not where
    /// there was nothing to give back and the request was served all the same.
    std::int64_t retries = 0;
    /// Events that contradict the picture: an address that is unknown, overlaps, or is in another state.
    std::int64_t inconsistencies = 0;

    bool operator==(const SegmentCounts&) const = default;
};

/// The exact picture of one device's memory in PyTorch's CUDA caching allocator, from the events that the
/// allocator reports and the addresses in them. Block sizes are not reported: they follow from what was asked
/// (roundedSize) and from the free addresses that followed the block when it was handed out (splits).
///
/// Whole from the first segment on only if every event is taken, in order. An event that contradicts the
/// picture is counted and otherwise ignored. Takes memory in proportion to the blocks in use. Not
/// thread-safe; the allocator reports with its lock held.
class DeviceSegments {
public:
    explicit DeviceSegments(const AllocatorConfig& config = {}) : config_(config) {}

    /// Logarithmic in the number of blocks. Gives the block of an Allocate (its size is known now), of a
    /// FreeRequested or of a FreeCompleted (as it was until then); nothing for other events and where the
    /// event was ignored. Running out of host memory counts as an inconsistency.
    std::optional<BlockInfo> take(const DeviceEvent& event) noexcept;

    /// The rules for allocations from now on (torch.cuda.memory._set_allocator_settings).
    void configure(const AllocatorConfig& config) { config_ = config; }

    /// The program itself has called emptyCache(): what was just given back is no sign of a retry.
    void cacheEmptied() noexcept { gaveBack_ = false; }

    const SegmentTotals& totals() const { return totals_; }
    const SegmentCounts& counts() const { return counts_; }

    /// The segments by address with their free and used parts. Streams are numbered in the order in which
    /// they came, the default stream is 0; those past kMostStreams share the last number.
    AllocatorSnapshot snapshot() const;

    /// The largest free range of addresses in one piece, of any stream and pool.
    base::Bytes largestFree() const;

    /// The most that one allocation on `stream` could ask for without memory from the device; 0 where every
    /// request needs some. With both expandable segments and a max_split_size an estimate.
    base::Bytes largestFit(std::uint64_t stream = 0) const;

private:
    struct Segment {
        base::Bytes size = 0;
        base::Bytes unit = 0;  // of an expandable segment: its memory comes and goes in units; 0 otherwise
        Stream stream = 0;
        bool small = false;
        bool continues(const Segment& other) const {
            return unit > 0 && unit == other.unit && stream == other.stream && small == other.small;
        }
    };
    /// Parts tile the segments; neighbours in one segment are never both free.
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
    Segments segments_;  // a cudaMalloc segment, or a run of mapped memory; by address
    Parts parts_;        // by address
    std::vector<std::uint64_t> streams_{0};
    bool gaveBack_ = false;  // memory went back since the program last had what it asked for
    bool retried_ = false;   // the request under way has been counted as a retry
};

}  // namespace highwater::memory
