#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/units.h"
#include "core/memory/call_stacks.h"

/// A device's memory segments and the blocks in them, as plain values.
namespace highwater::widgets {

struct MapBlock {
    enum class State : std::uint8_t {
        Allocated,
        Waiting,  ///< freed by the program, but a stream still uses it
        Free
    };
    base::Bytes offset = 0;  ///< from the segment's beginning
    base::Bytes size = 0;
    base::Bytes requested = 0;  ///< what the program asked for
    std::int64_t age = -1;      ///< microseconds since it was allocated; -1: unknown
    std::int32_t stack = -1;    ///< index into SegmentMap::stacks; -1: unknown
    State state = State::Free;
};

struct MapSegment {
    std::uint64_t address = 0;
    base::Bytes size = 0;
    std::uint64_t stream = 0;
    std::string pool;  ///< id of a private pool: "1, 0"; empty: the default pool
    bool small = false, expandable = false;
    std::uint32_t first = 0, count = 0;  ///< its blocks in SegmentMap::blocks, ascending by offset
    base::Bytes allocated = 0, waiting = 0, largestFree = 0;

    base::Bytes free() const { return size - allocated - waiting; }
};

struct SegmentMap {
    std::vector<MapSegment> segments;
    std::vector<MapBlock> blocks;
    std::shared_ptr<const memory::CallStacks> stacks;  ///< may be null
    bool timed = false;                                ///< the ages of recorded blocks are known
    base::Bytes reserved = 0, allocated = 0, waiting = 0, largestFree = 0, largestSegment = 0;

    base::Bytes free() const { return reserved - allocated - waiting; }
    const MapSegment& segmentOf(std::uint32_t block) const;
    /// Adds a segment with its blocks. They are sorted and clipped to the segment, and overlapping ones are
    /// dropped, whatever the file says.
    void add(MapSegment segment, std::vector<MapBlock> blocks);
};

enum class SegmentOrder { Size, Free, Address };
/// Indices into SegmentMap::segments: the largest first, those with the most free bytes first, or by address.
std::vector<std::uint32_t> orderOf(const SegmentMap& map, SegmentOrder order);

/// The fraction of a pixel's width that is covered by blocks in use and by waiting ones, each 0..1.
struct MapPixel {
    float allocated = 0, waiting = 0;
};
/// The bytes [from, to) of a segment in `width` pixels. Takes time proportional to the pixels and the visible
/// blocks.
std::vector<MapPixel> pixelsOf(const SegmentMap& map, const MapSegment& segment, double from, double to,
                               int width);
/// The first block that ends after this byte of a segment; the end of the segment's blocks if there is none.
std::uint32_t firstBlockAfter(const SegmentMap& map, const MapSegment& segment, double offset);
/// The block that contains this byte of a segment; -1 if none does.
std::int64_t blockAt(const SegmentMap& map, const MapSegment& segment, double offset);

}  // namespace highwater::widgets
