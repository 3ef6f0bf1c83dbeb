#include "widgets/timeline/segment_map.h"

#include <algorithm>
#include <numeric>
#include <span>

namespace highwater::widgets {

namespace {

std::span<const MapBlock> blocksOf(const SegmentMap& map, const MapSegment& segment) {
    return std::span(map.blocks).subspan(segment.first, segment.count);
}

/// The first block that ends after `offset`.
std::size_t firstAfter(std::span<const MapBlock> blocks, double offset) {
    const auto at = std::ranges::partition_point(blocks, [&](const MapBlock& block) {
        return static_cast<double>(block.offset + block.size) <= offset;
    });
    return static_cast<std::size_t>(at - blocks.begin());
}

}  // namespace

const MapSegment& SegmentMap::segmentOf(std::uint32_t block) const {
    const auto after = std::ranges::partition_point(
        segments, [&](const MapSegment& segment) { return segment.first + segment.count <= block; });
    return *after;
}

void SegmentMap::add(MapSegment segment, std::vector<MapBlock> added) {
    std::ranges::stable_sort(added, {}, &MapBlock::offset);
    segment.first = static_cast<std::uint32_t>(blocks.size());
    base::Bytes end = 0;
    for (MapBlock& block : added) {
        if (block.offset < end || block.offset >= segment.size || block.size <= 0) {
            continue;
        }
        block.size = std::min(block.size, segment.size - block.offset);
        end = block.offset + block.size;
        if (block.state == MapBlock::State::Allocated) {
            segment.allocated += block.size;
        } else if (block.state == MapBlock::State::Waiting) {
            segment.waiting += block.size;
        } else {
            segment.largestFree = std::max(segment.largestFree, block.size);
        }
        timed = timed || block.age >= 0;
        blocks.push_back(block);
    }
    segment.count = static_cast<std::uint32_t>(blocks.size()) - segment.first;
    reserved += segment.size;
    allocated += segment.allocated;
    waiting += segment.waiting;
    largestFree = std::max(largestFree, segment.largestFree);
    largestSegment = std::max(largestSegment, segment.size);
    segments.push_back(std::move(segment));
}

std::vector<std::uint32_t> orderOf(const SegmentMap& map, SegmentOrder order) {
    std::vector<std::uint32_t> rows(map.segments.size());
    std::iota(rows.begin(), rows.end(), 0U);
    const auto rank = [&](std::uint32_t row) {
        const MapSegment& segment = map.segments[row];
        const base::Bytes first = order == SegmentOrder::Size   ? -segment.size
                                  : order == SegmentOrder::Free ? -segment.free()
                                                                : 0;
        return std::pair(first, segment.address);
    };
    std::ranges::stable_sort(rows, {}, rank);
    return rows;
}

std::vector<MapPixel> pixelsOf(const SegmentMap& map, const MapSegment& segment, double from, double to,
                               int width) {
    std::vector<MapPixel> pixels(static_cast<std::size_t>(std::max(0, width)));
    if (width <= 0 || to <= from) {
        return pixels;
    }
    const auto blocks = blocksOf(map, segment);
    const double scale = width / (to - from);
    for (std::size_t i = firstAfter(blocks, from); i < blocks.size(); ++i) {
        const MapBlock& block = blocks[i];
        const double left = std::max(0.0, (static_cast<double>(block.offset) - from) * scale);
        if (left >= width) {
            break;
        }
        if (block.state == MapBlock::State::Free) {
            continue;
        }
        const double right =
            std::min<double>(width, (static_cast<double>(block.offset + block.size) - from) * scale);
        float MapPixel::* const share =
            block.state == MapBlock::State::Waiting ? &MapPixel::waiting : &MapPixel::allocated;
        for (int x = static_cast<int>(left); x < width && x < right; ++x) {
            const double covered = std::min<double>(x + 1, right) - std::max<double>(x, left);
            pixels[static_cast<std::size_t>(x)].*share += static_cast<float>(covered);
        }
    }
    return pixels;
}

std::uint32_t firstBlockAfter(const SegmentMap& map, const MapSegment& segment, double offset) {
    return segment.first + static_cast<std::uint32_t>(firstAfter(blocksOf(map, segment), offset));
}

std::int64_t blockAt(const SegmentMap& map, const MapSegment& segment, double offset) {
    const auto blocks = blocksOf(map, segment);
    const std::size_t at = firstAfter(blocks, offset);
    const bool holds = at < blocks.size() && static_cast<double>(blocks[at].offset) <= offset;
    return holds ? static_cast<std::int64_t>(segment.first + at) : -1;
}

}  // namespace highwater::widgets
