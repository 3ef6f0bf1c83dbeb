#include "widgets/timeline/segment_map.h"

#include <gmock/gmock.h>

#include <random>

namespace highwater::widgets {
namespace {

using base::kMiB;
using ::testing::ElementsAre;
using State = MapBlock::State;

MapBlock mapBlock(base::Bytes offset, base::Bytes size, State state) {
    MapBlock block;
    block.offset = offset;
    block.size = size;
    block.state = state;
    return block;
}

MapSegment mapSegment(std::uint64_t address, base::Bytes size) {
    MapSegment segment;
    segment.address = address;
    segment.size = size;
    return segment;
}

SegmentMap twoSegments() {
    SegmentMap map;
    map.add(mapSegment(2000, 4 * kMiB),
            {mapBlock(0, kMiB, State::Allocated), mapBlock(kMiB, kMiB, State::Free),
             mapBlock(2 * kMiB, kMiB, State::Waiting), mapBlock(3 * kMiB, kMiB, State::Free)});
    map.add(mapSegment(1000, 8 * kMiB), {mapBlock(0, 7 * kMiB, State::Allocated)});
    return map;
}

TEST(SegmentMap, AddsUpWhatItHolds) {
    const SegmentMap map = twoSegments();
    EXPECT_EQ(map.reserved, 12 * kMiB);
    EXPECT_EQ(map.allocated, 8 * kMiB);
    EXPECT_EQ(map.waiting, kMiB);
    EXPECT_EQ(map.free(), 3 * kMiB) << "what no block covers is free, too";
    EXPECT_EQ(map.largestFree, kMiB);
    EXPECT_EQ(map.segmentOf(3).address, 2000U);
    EXPECT_EQ(map.segmentOf(4).address, 1000U);
    EXPECT_THAT(orderOf(map, SegmentOrder::Size), ElementsAre(1, 0));
    EXPECT_THAT(orderOf(map, SegmentOrder::Free), ElementsAre(0, 1));
    EXPECT_THAT(orderOf(map, SegmentOrder::Address), ElementsAre(1, 0));
}

TEST(SegmentMap, FindsTheBlockUnderAByte) {
    const SegmentMap map = twoSegments();
    const MapSegment &first = map.segments[0], &second = map.segments[1];
    EXPECT_EQ(blockAt(map, first, 0), 0);
    EXPECT_EQ(blockAt(map, first, 2.5 * kMiB), 2);
    EXPECT_EQ(blockAt(map, second, 7.5 * kMiB), -1) << "no block there";
    EXPECT_EQ(blockAt(map, first, 100.0 * kMiB), -1);
    EXPECT_EQ(firstBlockAfter(map, second, 7.5 * kMiB), 5U);
}

TEST(SegmentMap, PixelsHoldTheBytesWhateverTheirSize) {
    std::mt19937 random(3);
    SegmentMap map;
    std::vector<MapBlock> blocks;
    base::Bytes at = 0;
    while (at < 64 * kMiB) {
        const base::Bytes size = 512 * (1 + random() % 40);
        blocks.push_back(mapBlock(at, size, static_cast<State>(random() % 3)));
        at += size;
    }
    map.add(mapSegment(0, 64 * kMiB), std::move(blocks));
    for (const int width : {1, 3, 100, 1777}) {
        double allocated = 0, waiting = 0;
        for (const MapPixel& pixel :
             pixelsOf(map, map.segments[0], 0, static_cast<double>(64 * kMiB), width)) {
            EXPECT_LE(pixel.allocated + pixel.waiting, 1.001);
            allocated += pixel.allocated;
            waiting += pixel.waiting;
        }
        const double scale = static_cast<double>(64 * kMiB) / width;
        EXPECT_NEAR(allocated * scale, static_cast<double>(map.allocated), 1e-3 * 64 * kMiB) << width;
        EXPECT_NEAR(waiting * scale, static_cast<double>(map.waiting), 1e-3 * 64 * kMiB) << width;
    }
    EXPECT_TRUE(pixelsOf(map, map.segments[0], 5, 5, 10)[3].allocated == 0);
}

TEST(SegmentMap, NumbersThatContradictEachOtherAreLeftOut) {
    SegmentMap map;
    map.add(mapSegment(0, kMiB),
            {mapBlock(512, 1024, State::Allocated), mapBlock(0, 1024, State::Allocated),
             mapBlock(900, 10, State::Waiting), mapBlock(kMiB - 512, kMiB, State::Allocated),
             mapBlock(2 * kMiB, 512, State::Free), mapBlock(4096, 0, State::Allocated)});
    EXPECT_EQ(map.blocks.size(), 2U);
    EXPECT_EQ(map.allocated, 1024 + 512);
    EXPECT_EQ(map.free(), kMiB - 1536);
}

}  // namespace
}  // namespace highwater::widgets
