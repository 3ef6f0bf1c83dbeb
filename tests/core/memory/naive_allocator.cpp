#include "tests/core/memory/naive_allocator.h"

#include <algorithm>

namespace highwater::memory::testing {

using base::Bytes;
using base::kMiB;

namespace {

Bytes upTo(Bytes value, Bytes step) {
    return value % step == 0 ? value : value + step - value % step;
}

bool idle(BlockState state) {
    return state == BlockState::Free || state == BlockState::Unmapped;
}

}  // namespace

Bytes NaiveAllocator::rounded(Bytes bytes) const {
    if (bytes < 512) {
        return 512;
    }
    std::size_t interval = 0;
    while (interval < 15 && bytes >= (2 * kMiB << interval)) {
        ++interval;
    }
    const Bytes divisions = bytes > config_.roundupBypass ? 0 : config_.roundupDivisions[interval];
    if (divisions == 0 || bytes <= 512 * divisions) {
        return upTo(bytes, 512);
    }
    if (divisions == 1) {
        return config_.era == AllocatorEra::Torch2_4 ? upTo(bytes, 512) : bytes;
    }
    Bytes power = 512;
    while (power * 2 <= bytes) {
        power *= 2;
    }
    Bytes step = power;
    while (step < bytes) {
        step += power / divisions;
    }
    return step;
}

Bytes NaiveAllocator::segment(Bytes size) const {
    return size <= kMiB ? 2 * kMiB : size < 10 * kMiB ? config_.largeSegmentSize : upTo(size, 2 * kMiB);
}

Bytes NaiveAllocator::unit(bool small) const {
    return small ? 2 * kMiB : config_.largeSegmentSize;
}

Bytes NaiveAllocator::reserved() const {
    Bytes sum = 0;
    for (const Range& range : ranges_) {
        for (const Piece& piece : range.pieces) {
            sum += piece.state == BlockState::Unmapped ? 0 : piece.size;
        }
    }
    return sum;
}

bool NaiveAllocator::wholeAndFree(const Range& range) const {
    return range.pieces.size() == 1 && range.pieces[0].state == BlockState::Free;
}

NaiveAllocator::Spot NaiveAllocator::spotOf(int tensor) const {
    for (std::size_t r = 0; r < ranges_.size(); ++r) {
        for (std::size_t p = 0; p < ranges_[r].pieces.size(); ++p) {
            if (ranges_[r].pieces[p].tensor == tensor) {
                return {r, p};
            }
        }
    }
    std::abort();
}

/// By size, then address.
std::vector<NaiveAllocator::Spot> NaiveAllocator::freeSpots(Stream stream, bool small) const {
    std::vector<Spot> spots;
    for (std::size_t r = 0; r < ranges_.size(); ++r) {
        for (std::size_t p = 0; p < ranges_[r].pieces.size(); ++p) {
            if (ranges_[r].stream == stream && ranges_[r].small == small &&
                ranges_[r].pieces[p].state == BlockState::Free) {
                spots.push_back({r, p});
            }
        }
    }
    std::ranges::stable_sort(spots, {}, [&](const Spot& s) { return ranges_[s.range].pieces[s.piece].size; });
    return spots;
}

bool NaiveAllocator::allocate(int tensor, Bytes bytes, Stream stream) {
    finish(false);
    const Bytes size = rounded(bytes);
    const Wish wish{bytes, size, stream, size <= kMiB};
    auto spot = cached(wish);
    if (!spot) {
        collect();
        spot = fromDevice(wish);
        if (!spot && giveBackOversize(wish)) {
            spot = fromDevice(wish);
        }
        if (!spot) {
            giveBackAll();
            ++stats_.allocationRetries;
            spot = fromDevice(wish);
        }
    }
    if (!spot) {
        ++stats_.outOfMemories;
        OutOfMemory why{bytes, size, segment(size), stream, device_.capacity, reserved(), 0, 0};
        if (device_.allowed) {
            why.limit = std::min(why.limit, *device_.allowed);
        }
        for (const Range& range : ranges_) {
            for (const Piece& piece : range.pieces) {
                why.allocated += piece.state == BlockState::Allocated ? piece.size : 0;
                if (piece.state == BlockState::Free) {
                    why.largestFree = std::max(why.largestFree, piece.size);
                }
            }
        }
        outOfMemory_ = why;
        return false;
    }
    handOut(*spot, wish);
    ranges_[spot->range].pieces[spot->piece].tensor = tensor;
    return true;
}

std::optional<NaiveAllocator::Spot> NaiveAllocator::cached(const Wish& wish) {
    for (Range& range : ranges_) {
        for (Piece& piece : range.pieces) {
            if (range.small == wish.small) {
                ++piece.age;
            }
        }
    }
    const auto size = [&](Spot s) { return ranges_[s.range].pieces[s.piece].size; };
    const auto withRoomToGrow = [&](Spot s) {
        const auto& pieces = ranges_[s.range].pieces;
        const bool grows = s.piece + 1 < pieces.size() && pieces[s.piece + 1].state == BlockState::Unmapped;
        return size(s) + (grows ? pieces[s.piece + 1].size : 0);
    };
    auto spots = freeSpots(wish.stream, wish.small);
    std::erase_if(spots, [&](Spot s) { return size(s) < wish.rounded; });
    if (spots.empty()) {
        return std::nullopt;
    }
    std::size_t best = 0;
    while (config_.expandableSegments && best + 1 < spots.size() &&
           withRoomToGrow(spots[best + 1]) < withRoomToGrow(spots[best])) {
        ++best;
    }
    const bool large = wish.rounded >= config_.maxSplitSize;
    const Bytes tooMuch = large ? wish.rounded + config_.maxNonSplitRounding : config_.maxSplitSize;
    return size(spots[best]) < tooMuch ? std::optional(spots[best]) : std::nullopt;
}

std::optional<NaiveAllocator::Spot> NaiveAllocator::fromDevice(const Wish& wish) {
    const Bytes size = segment(wish.rounded);
    if (device_.allowed && reserved() + size > *device_.allowed) {
        return std::nullopt;
    }
    if (config_.expandableSegments) {
        return grow(wish);
    }
    if (reserved() + size > device_.capacity) {
        return std::nullopt;
    }
    ranges_.push_back({wish.stream, wish.small, {Piece{size, BlockState::Free, 0, 0, -1, {}}}});
    ++stats_.deviceAllocations;
    count();
    return Spot{ranges_.size() - 1, 0};
}

/// The range and the offset in it where the lowest addresses without memory, and the free piece right before
/// them if there is one, begin a run of idle pieces that is long enough.
std::optional<std::pair<std::size_t, Bytes>> NaiveAllocator::room(const Wish& wish) {
    for (std::size_t r = 0; r < ranges_.size(); ++r) {
        if (ranges_[r].stream != wish.stream || ranges_[r].small != wish.small) {
            continue;
        }
        const auto& pieces = ranges_[r].pieces;
        for (std::size_t p = 0; p < pieces.size(); ++p) {
            if (pieces[p].state != BlockState::Unmapped) {
                continue;
            }
            const std::size_t first = p > 0 && pieces[p - 1].state == BlockState::Free ? p - 1 : p;
            Bytes offset = 0, bytes = 0;
            for (std::size_t q = 0; q < first; ++q) {
                offset += pieces[q].size;
            }
            for (std::size_t q = first; q < pieces.size() && idle(pieces[q].state); ++q) {
                bytes += pieces[q].size;
            }
            if (bytes >= wish.rounded) {
                return std::pair{r, offset};
            }
        }
    }
    return std::nullopt;
}

std::optional<NaiveAllocator::Spot> NaiveAllocator::grow(const Wish& wish) {
    auto place = room(wish);
    if (!place) {
        const Bytes addresses = upTo(device_.total + device_.total / 8, unit(wish.small));
        if (addresses < wish.rounded) {
            return std::nullopt;
        }
        ranges_.push_back({wish.stream, wish.small, {Piece{addresses, BlockState::Unmapped, 0, 0, -1, {}}}});
        place = std::pair{ranges_.size() - 1, Bytes{0}};
    }
    Range& range = ranges_[place->first];
    while (true) {
        Bytes offset = 0;
        std::size_t p = 0;
        while (offset < place->second) {
            offset += range.pieces[p++].size;
        }
        const Bytes mapped = range.pieces[p].state == BlockState::Free ? range.pieces[p].size : 0;
        if (mapped >= wish.rounded) {
            return Spot{place->first, p};
        }
        p += mapped > 0;
        Piece& gap = range.pieces[p];
        const Bytes more = upTo(std::min(gap.size, wish.rounded - mapped), unit(wish.small));
        if (reserved() + more > device_.capacity) {
            return std::nullopt;
        }
        const Bytes rest = gap.size - more;
        gap.size = more;
        gap.state = BlockState::Free;
        if (rest > 0) {
            range.pieces.insert(range.pieces.begin() + static_cast<std::ptrdiff_t>(p) + 1,
                                Piece{rest, BlockState::Unmapped, 0, 0, -1, {}});
        }
        join(range);
        ++stats_.deviceAllocations;
        count();
    }
}

void NaiveAllocator::handOut(Spot spot, const Wish& wish) {
    auto& pieces = ranges_[spot.range].pieces;
    const Bytes rest = pieces[spot.piece].size - wish.rounded;
    const bool finely = wish.small || config_.expandableSegments;
    if (finely ? rest >= 512 : rest > kMiB && wish.rounded < config_.maxSplitSize) {
        pieces[spot.piece].size = wish.rounded;
        pieces.insert(pieces.begin() + static_cast<std::ptrdiff_t>(spot.piece) + 1,
                      Piece{rest, BlockState::Free, 0, 0, -1, {}});
    }
    pieces[spot.piece].state = BlockState::Allocated;
    pieces[spot.piece].requested = wish.asked;
    count();
}

void NaiveAllocator::free(int tensor) {
    const Spot spot = spotOf(tensor);
    Piece& piece = ranges_[spot.range].pieces[spot.piece];
    if (piece.users.empty()) {
        becomeFree(spot);
        return;
    }
    piece.state = BlockState::Waiting;
    piece.tensor = nextWaiting_--;
    count();
}

void NaiveAllocator::recordStream(int tensor, Stream stream) {
    const Spot spot = spotOf(tensor);
    auto& users = ranges_[spot.range].pieces[spot.piece].users;
    if (stream != ranges_[spot.range].stream && std::ranges::find(users, stream) == users.end()) {
        users.push_back(stream);
    }
}

void NaiveAllocator::streamDone(Stream stream) {
    for (const Range& range : ranges_) {
        for (const Piece& piece : range.pieces) {
            if (piece.state == BlockState::Waiting &&
                std::ranges::find(piece.users, stream) != piece.users.end()) {
                doneEvents_.emplace_back(piece.tensor, stream);
            }
        }
    }
}

void NaiveAllocator::finish(bool all) {
    auto done = std::exchange(doneEvents_, {});
    if (all) {
        for (const Range& range : ranges_) {
            for (const Piece& piece : range.pieces) {
                if (piece.state == BlockState::Waiting) {
                    for (const Stream stream : piece.users) {
                        done.emplace_back(piece.tensor, stream);
                    }
                }
            }
        }
    }
    // By stream, then in the order in which they were freed: waiting tensors are numbered downwards.
    std::ranges::sort(done, [](const auto& a, const auto& b) {
        return a.second != b.second ? a.second < b.second : a.first > b.first;
    });
    done.erase(std::unique(done.begin(), done.end()), done.end());
    for (const auto& [tensor, stream] : done) {
        const Spot spot = spotOf(tensor);
        std::erase(ranges_[spot.range].pieces[spot.piece].users, stream);
        if (ranges_[spot.range].pieces[spot.piece].users.empty()) {
            becomeFree(spot);
        }
    }
}

void NaiveAllocator::becomeFree(Spot spot) {
    Range& range = ranges_[spot.range];
    range.pieces[spot.piece] = Piece{range.pieces[spot.piece].size, BlockState::Free, 0, 0, -1, {}};
    join(range);
    count();
}

/// Joins idle neighbors of the same state; what is joined is as young as its youngest part.
void NaiveAllocator::join(Range& range) {
    for (std::size_t p = 0; p + 1 < range.pieces.size();) {
        Piece& here = range.pieces[p];
        const Piece& next = range.pieces[p + 1];
        if (!idle(here.state) || here.state != next.state) {
            ++p;
            continue;
        }
        here.size += next.size;
        here.age = std::min(here.age, next.age);
        range.pieces.erase(range.pieces.begin() + static_cast<std::ptrdiff_t>(p) + 1);
    }
}

void NaiveAllocator::drop(std::size_t range) {
    ranges_.erase(ranges_.begin() + static_cast<std::ptrdiff_t>(range));
    ++stats_.deviceFrees;
    count();
}

bool NaiveAllocator::giveBackOversize(const Wish& wish) {
    if (config_.maxSplitSize == kUnlimited || config_.expandableSegments) {
        return false;
    }
    const Bytes wanted = std::max(wish.rounded, config_.maxSplitSize);
    for (const Spot spot : freeSpots(wish.stream, wish.small)) {
        if (ranges_[spot.range].pieces[spot.piece].size >= wanted) {
            drop(spot.range);
            return true;
        }
    }
    Bytes given = 0;
    while (given < wanted) {
        const auto spots = freeSpots(wish.stream, wish.small);
        const Bytes largest = spots.empty() ? 0 : ranges_[spots.back().range].pieces[spots.back().piece].size;
        if (largest < config_.maxSplitSize) {
            return false;
        }
        drop(spots.back().range);
        given += largest;
    }
    return true;
}

void NaiveAllocator::giveBackAll() {
    finish(true);
    for (std::size_t r = ranges_.size(); r-- > 0;) {
        if (!config_.expandableSegments) {
            if (wholeAndFree(ranges_[r])) {
                drop(r);
            }
            continue;
        }
        const auto frees = stats_.deviceFrees;
        giveBackUnits(ranges_[r]);
        if (stats_.deviceFrees > frees && ranges_[r].pieces.size() == 1 &&
            ranges_[r].pieces[0].state == BlockState::Unmapped) {
            ranges_.erase(ranges_.begin() + static_cast<std::ptrdiff_t>(r));
        }
    }
    count();
}

void NaiveAllocator::giveBackUnits(Range& range) {
    const Bytes step = unit(range.small);
    std::vector<Piece> pieces;
    Bytes offset = 0;
    for (const Piece& piece : range.pieces) {
        const Bytes begin = upTo(offset, step), end = (offset + piece.size) / step * step;
        if (piece.state != BlockState::Free || begin >= end) {
            pieces.push_back(piece);
        } else {
            if (begin > offset) {
                pieces.push_back(Piece{begin - offset, BlockState::Free, 0, 0, -1, {}});
            }
            pieces.push_back(Piece{end - begin, BlockState::Unmapped, 0, 0, -1, {}});
            if (end < offset + piece.size) {
                pieces.push_back(Piece{offset + piece.size - end, BlockState::Free, 0, 0, -1, {}});
            }
            ++stats_.deviceFrees;
        }
        offset += piece.size;
    }
    range.pieces = pieces;
    join(range);
}

void NaiveAllocator::collect() {
    if (!device_.allowed || config_.garbageCollectionThreshold <= 0 || config_.expandableSegments) {
        return;
    }
    const auto threshold =
        static_cast<Bytes>(config_.garbageCollectionThreshold * static_cast<double>(*device_.allowed));
    while (reserved() > threshold) {
        double ages = 0, blocks = 0;
        for (const Range& range : ranges_) {
            if (!range.small && wholeAndFree(range)) {
                ages += static_cast<double>(range.pieces[0].age);
                ++blocks;
            }
        }
        if (blocks == 0) {
            return;
        }
        for (std::size_t r = ranges_.size(); r-- > 0;) {
            if (!ranges_[r].small && wholeAndFree(ranges_[r]) &&
                static_cast<double>(ranges_[r].pieces[0].age) >= ages / blocks) {
                drop(r);
            }
        }
    }
}

void NaiveAllocator::count() {
    PoolStats now[2];  // large, small
    Bytes oversizeAllocations = 0, oversizeSegments = 0;
    for (const Range& range : ranges_) {
        PoolStats& pool = now[range.small];
        Bytes size = 0;
        for (const Piece& piece : range.pieces) {
            const bool allocated = piece.state == BlockState::Allocated;
            const bool active = allocated || piece.state == BlockState::Waiting;
            const bool split =
                piece.state == BlockState::Free && range.pieces.size() > 1 && !config_.expandableSegments;
            pool.allocations.current += allocated;
            pool.active.current += active;
            pool.inactiveSplit.current += split;
            pool.allocatedBytes.current += allocated ? piece.size : 0;
            pool.activeBytes.current += active ? piece.size : 0;
            pool.requestedBytes.current += active ? piece.requested : 0;
            pool.reservedBytes.current += piece.state == BlockState::Unmapped ? 0 : piece.size;
            pool.inactiveSplitBytes.current += split ? piece.size : 0;
            oversizeAllocations += allocated && piece.size >= config_.maxSplitSize;
            size += piece.size;
        }
        pool.segments.current += !config_.expandableSegments;
        oversizeSegments += !config_.expandableSegments && size >= config_.maxSplitSize;
    }
    const auto set = [](Gauge& gauge, std::int64_t value) { gauge.add(value - gauge.current); };
    for (Gauge PoolStats::* field :
         {&PoolStats::allocations, &PoolStats::segments, &PoolStats::active, &PoolStats::inactiveSplit,
          &PoolStats::allocatedBytes, &PoolStats::activeBytes, &PoolStats::requestedBytes,
          &PoolStats::reservedBytes, &PoolStats::inactiveSplitBytes}) {
        set(stats_.large.*field, (now[0].*field).current);
        set(stats_.small.*field, (now[1].*field).current);
        set(stats_.all.*field, (now[0].*field).current + (now[1].*field).current);
    }
    set(stats_.oversizeAllocations, oversizeAllocations);
    set(stats_.oversizeSegments, oversizeSegments);
}

AllocatorSnapshot NaiveAllocator::snapshot() const {
    AllocatorSnapshot segments;
    for (const Range& range : ranges_) {
        bool open = false;
        for (const Piece& piece : range.pieces) {
            if (piece.state == BlockState::Unmapped) {
                open = false;
                continue;
            }
            if (!open) {
                segments.push_back({0, 0, range.stream, range.small, config_.expandableSegments, {}});
            }
            open = true;
            auto& segment = segments.back();
            segment.blocks.push_back({segment.size, piece.size, piece.requested, piece.state});
            segment.size += piece.size;
        }
    }
    return segments;
}

std::pair<std::size_t, Bytes> NaiveAllocator::where(int tensor) const {
    const Spot spot = spotOf(tensor);
    std::size_t segment = 0;
    Bytes offset = 0;
    for (std::size_t r = 0; r <= spot.range; ++r) {
        bool open = false;
        for (std::size_t p = 0; p < ranges_[r].pieces.size(); ++p) {
            const Piece& piece = ranges_[r].pieces[p];
            const bool mapped = piece.state != BlockState::Unmapped;
            if (mapped && !open) {
                ++segment;
                offset = 0;
            }
            open = mapped;
            if (r == spot.range && p == spot.piece) {
                return {segment - 1, offset};
            }
            offset += piece.size;
        }
    }
    std::abort();
}

}  // namespace highwater::memory::testing
