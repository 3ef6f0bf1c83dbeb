#include <algorithm>
#include <iterator>

#include "core/memory/allocator_rules.h"
#include "core/memory/device_segments.h"

namespace highwater::memory {

using base::Bytes;

namespace {

/// Addresses beyond this one are invalid, so that sums of addresses and sizes fit in 64 bits.
constexpr std::int64_t kEndOfAddresses = std::int64_t{1} << 61;

}  // namespace

DeviceSegments::Segments::iterator DeviceSegments::segmentOf(std::int64_t address) {
    const auto next = segments_.upper_bound(address);
    if (next == segments_.begin()) {
        return segments_.end();
    }
    const auto segment = std::prev(next);
    return address < segment->first + segment->second.size ? segment : segments_.end();
}

bool DeviceSegments::mayAdd(const DeviceEvent& event) const {
    if (event.address <= 0 || event.address > kEndOfAddresses || event.bytes <= 0 ||
        event.bytes > kTooLarge) {
        return false;
    }
    const auto next = segments_.lower_bound(event.address);
    if (next != segments_.end() && next->first < event.address + event.bytes) {
        return false;
    }
    if (next == segments_.begin()) {
        return true;
    }
    const auto before = std::prev(next);
    return before->first + before->second.size <= event.address;
}

/// Adds a new range of addresses, all of it free.
void DeviceSegments::insertRange(std::int64_t begin, const Segment& segment) {
    const auto part = parts_.emplace(begin, Part{segment.size, 0, BlockState::Free}).first;
    Segments::iterator place;
    try {
        place = segments_.emplace(begin, segment).first;
    } catch (...) {
        parts_.erase(part);
        throw;
    }
    joinSegments(place);
    joinFree(segmentOf(begin), part);
}

/// Joins adjacent ranges of mapped memory into one segment.
void DeviceSegments::joinSegments(Segments::iterator segment) {
    const auto next = std::next(segment);
    if (next != segments_.end() && segment->first + segment->second.size == next->first &&
        segment->second.continues(next->second)) {
        segment->second.size += next->second.size;
        segments_.erase(next);
    }
    if (segment == segments_.begin()) {
        return;
    }
    const auto before = std::prev(segment);
    if (before->first + before->second.size == segment->first && before->second.continues(segment->second)) {
        before->second.size += segment->second.size;
        segments_.erase(segment);
    }
}

/// Merges a part that became free, and is not counted yet, with its free neighbors in the segment.
void DeviceSegments::joinFree(Segments::iterator segment, Parts::iterator part) {
    const std::int64_t begin = segment->first, end = begin + segment->second.size;
    const auto next = std::next(part);
    if (next != parts_.end() && next->first < end && next->second.state == BlockState::Free) {
        countFree(segment, next, -1);
        part->second.size += next->second.size;
        parts_.erase(next);
    }
    if (part->first > begin) {
        const auto before = std::prev(part);
        if (before->second.state == BlockState::Free) {
            countFree(segment, before, -1);
            before->second.size += part->second.size;
            parts_.erase(part);
            part = before;
        }
    }
    countFree(segment, part, 1);
}

/// Removes whole units from a free part. The remainders of the part and of the segment on either side stay.
void DeviceSegments::removeRange(Segments::iterator segment, Parts::iterator part, std::int64_t begin,
                                 Bytes bytes) {
    const std::int64_t end = begin + bytes;
    const Bytes partAfter = part->first + part->second.size - end;
    const Bytes segmentAfter = segment->first + segment->second.size - end;
    Parts rest;
    Segments restSegment;
    if (partAfter > 0) {
        rest.emplace(end, Part{partAfter, 0, BlockState::Free});
    }
    if (segmentAfter > 0) {
        restSegment.emplace(end, segment->second);
        restSegment.begin()->second.size = segmentAfter;
    }
    countFree(segment, part, -1);
    part->second.size = begin - part->first;
    segment->second.size = begin - segment->first;
    if (part->second.size > 0) {
        countFree(segment, part, 1);
    } else {
        parts_.erase(part);
    }
    if (segment->second.size == 0) {
        segments_.erase(segment);
    }
    segments_.merge(restSegment);
    parts_.merge(rest);
    if (partAfter > 0) {
        countFree(segments_.find(end), parts_.find(end), 1);
    }
}

/// Returns the bytes of a free part that emptyCache() would release: the whole units within it, or all of it
/// if it is a whole cudaMalloc segment.
Bytes DeviceSegments::givable(const Segments::value_type& segment, const Parts::value_type& part) {
    const auto& [begin, s] = segment;
    if (s.unit == 0) {
        return part.second.size == s.size ? s.size : 0;
    }
    const Bytes from = part.first - begin, to = from + part.second.size;
    return std::max<Bytes>(0, to / s.unit * s.unit - roundUp(from, s.unit));
}

void DeviceSegments::countFree(Segments::const_iterator segment, Parts::const_iterator part, int sign) {
    const Bytes back = givable(*segment, *part);
    totals_.cache += sign * back;
    totals_.split += sign * (part->second.size - back);
}

Stream DeviceSegments::numberOf(std::uint64_t stream) {
    const auto known = std::ranges::find(streams_, stream);
    if (known != streams_.end()) {
        return static_cast<Stream>(known - streams_.begin());
    }
    if (streams_.size() < kMostStreams) {
        streams_.push_back(stream);
    }
    return static_cast<Stream>(streams_.size() - 1);
}

AllocatorSnapshot DeviceSegments::snapshot() const {
    AllocatorSnapshot all;
    auto part = parts_.begin();
    for (const auto& [address, segment] : segments_) {
        SegmentInfo info{address, segment.size, segment.stream, segment.small, segment.unit > 0, {}};
        for (; part != parts_.end() && part->first < address + segment.size; ++part) {
            info.blocks.push_back(
                {part->first, part->second.size, part->second.requested, part->second.state});
        }
        all.push_back(std::move(info));
    }
    return all;
}

Bytes DeviceSegments::largestFree() const {
    Bytes largest = 0;
    for (const auto& [address, part] : parts_) {
        if (part.state == BlockState::Free) {
            largest = std::max(largest, part.size);
        }
    }
    return largest;
}

namespace {

/// Returns the largest request that rounds to at most `size`.
Bytes mostAsked(Bytes size, const AllocatorConfig& config) {
    for (const Bytes most : {size, size / kSmallestBlock * kSmallestBlock}) {
        if (most > 0 && roundedSize(most, config) <= size) {
            return most;
        }
    }
    Bytes fits = 0, over = size;
    while (over - fits > 1) {
        const Bytes middle = fits + (over - fits) / 2;
        (roundedSize(middle, config) <= size ? fits : over) = middle;
    }
    return fits;
}

/// Returns the largest request that a free range of a pool can serve; 0 if it can serve none.
Bytes mostServed(Bytes range, bool small, const AllocatorConfig& config) {
    if (small) {
        return mostAsked(std::min(range, kLargestSmall), config);
    }
    const Bytes most = mostAsked(range, config);
    if (most == 0) {
        return 0;
    }
    const Bytes rounded = roundedSize(most, config);
    return !isSmall(rounded) && mayServe(range, rounded, config) ? most : 0;
}

}  // namespace

Bytes DeviceSegments::largestFit(std::uint64_t stream) const {
    const auto number = std::ranges::find(streams_, stream) - streams_.begin();
    Bytes most = 0;
    auto part = parts_.begin();
    for (const auto& [address, segment] : segments_) {
        for (; part != parts_.end() && part->first < address + segment.size; ++part) {
            if (part->second.state == BlockState::Free && segment.stream == number) {
                most = std::max(most, mostServed(part->second.size, segment.small, config_));
            }
        }
    }
    return most;
}

}  // namespace highwater::memory
