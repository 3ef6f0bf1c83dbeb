#include "core/capture/replay/player.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/capture/replay/describe.h"
#include "core/memory/allocator_rules.h"

namespace highwater::capture {

using base::Bytes;
using memory::BlockIndex;
using memory::BlockState;
using memory::DeviceEvent;
using memory::Stream;
using Kind = HistoryEvent::Kind;

namespace {

DeviceEvent::Kind kindOf(Kind kind) {
    using enum DeviceEvent::Kind;
    switch (kind) {
        case Kind::FreeRequested:
            return FreeRequested;
        case Kind::FreeCompleted:
            return FreeCompleted;
        case Kind::SegmentAllocate:
            return SegmentAllocate;
        case Kind::SegmentFree:
            return SegmentFree;
        case Kind::SegmentMap:
            return SegmentMap;
        case Kind::SegmentUnmap:
            return SegmentUnmap;
        case Kind::OutOfMemory:
            return OutOfMemory;
        case Kind::Allocate:
        case Kind::Snapshot:
        case Kind::Other:
            break;
    }
    return Allocate;
}

bool takesMemory(const DeviceEvent& event) {
    return event.kind == DeviceEvent::Kind::SegmentAllocate || event.kind == DeviceEvent::Kind::SegmentMap;
}

bool returnsMemory(const DeviceEvent& event) {
    return event.kind == DeviceEvent::Kind::SegmentFree || event.kind == DeviceEvent::Kind::SegmentUnmap;
}

bool isRequest(const DeviceEvent& event) {
    return event.kind == DeviceEvent::Kind::Allocate || event.kind == DeviceEvent::Kind::OutOfMemory;
}

/// Whether the allocator waited for all streams just before an event of this kind.
bool endsWait(Kind kind) {
    return kind == Kind::SegmentFree || kind == Kind::SegmentUnmap || kind == Kind::OutOfMemory;
}

}  // namespace

Player::Player(memory::CachingAllocator& allocator, const DeviceHistory& device, const StreamNumbers& streams,
               DeviceReplay& result)
    : allocator_(allocator), device_(device), streams_(streams), result_(result) {
    for (auto stream = static_cast<std::size_t>(memory::kMostStreams); stream-- > streams.size();) {
        idle_.push_back(static_cast<Stream>(stream));
    }
    allocator_.observe([this](const DeviceEvent& event) { hear(event); });
    allocator_.drive([this](Bytes bytes) { return giveMemory(bytes); });
    allocator_.place(
        [this](Bytes bytes, Stream stream, bool small) { return placeNext(bytes, stream, small); });
}

base::Status Player::begin(memory::AllocatorSnapshot before) {
    std::vector<std::int64_t> waiting, addresses;
    for (memory::SegmentInfo& segment : before) {
        ++result_.start.segments;
        result_.start.reserved += segment.size;
        segments_[segment.address] = segment.size;
        for (memory::BlockInfo& block : segment.blocks) {
            if (block.state == BlockState::Free) {
                continue;
            }
            if (block.state == BlockState::Waiting) {
                waiting.push_back(block.address);
                block.state = BlockState::Allocated;
            }
            addresses.push_back(block.address);
            ++result_.start.blocks;
            result_.start.requested += block.requested;
        }
    }
    const auto blocks = allocator_.restore(before);
    if (!blocks) {
        return base::Error{"the recording contradicts itself: " + blocks.error().message};
    }
    for (std::size_t i = 0; i < addresses.size(); ++i) {
        blocks_[addresses[i]] = (*blocks)[i];
    }
    for (const std::int64_t address : waiting) {
        if (!ended()) {
            wait(blocks_[address], address);
        }
    }
    result_.highestReserved = reserved_ = result_.start.reserved;
    return {};
}

void Player::play() {
    while (next_ < device_.events.size() && !ended()) {
        const Kind kind = device_.events[next_].kind;
        group_.clear();
        said_.clear();
        if (!device_.events[next_].changes()) {
            ++next_;
        } else if (kind == Kind::FreeRequested) {
            playFree();
        } else if (kind == Kind::FreeCompleted) {
            playReturned();
        } else {
            playRequest();
        }
    }
    if (!ended()) {
        compareEnd();
    }
}

/// A free that is not completed at once waits for another stream.
void Player::playFree() {
    const HistoryEvent& event = device_.events[next_];
    const auto address = static_cast<std::int64_t>(event.address);
    add(next_++);
    const auto found = blocks_.find(address);
    if (found == blocks_.end()) {
        return differ(next_ - 1, describe(event), "no block is in use there");
    }
    const bool completed = next_ < device_.events.size() &&
                           device_.events[next_].kind == Kind::FreeCompleted &&
                           device_.events[next_].address == event.address;
    if (completed && !waitsForDevice(next_ + 1)) {
        add(next_++);
        allocator_.free(found->second);
        blocks_.erase(found);
    } else {
        wait(found->second, address);
        result_.waited -= completed;
    }
    compare();
}

/// Whether the events from here show a request for which the allocator waited for all streams, as the driver
/// refused memory. A block freed just before may have come back only then: too late to serve the request.
bool Player::waitsForDevice(std::size_t from) const {
    if (allocator_.config().maxSplitSize != memory::kUnlimited || from >= device_.events.size() ||
        !endsWait(device_.events[from].kind)) {
        return false;
    }
    for (; from < device_.events.size(); ++from) {
        const Kind kind = device_.events[from].kind;
        if (kind == Kind::SegmentAllocate || kind == Kind::SegmentMap || kind == Kind::OutOfMemory) {
            return true;
        }
        if (kind == Kind::Allocate || kind == Kind::FreeRequested) {
            return false;
        }
    }
    return false;
}

/// Frees a block that waits for a stream of its own.
void Player::wait(BlockIndex block, std::int64_t address) {
    if (idle_.empty()) {
        return giveUp("more blocks wait for other streams at once than the simulation has streams");
    }
    const Stream stream = idle_.back();
    idle_.pop_back();
    allocator_.recordStream(block, stream);
    allocator_.free(block);
    blocks_.erase(address);
    waiting_[address] = stream;
    ++result_.waited;
}

/// Blocks that waited come back when the allocator looks after them at the next request, or when it waits for
/// all streams, because the driver refused memory or the cache is emptied; then they belong to what follows.
void Player::playReturned() {
    std::size_t end = next_;
    for (; end < device_.events.size(); ++end) {
        const HistoryEvent& event = device_.events[end];
        if (event.kind != Kind::FreeCompleted && event.changes()) {
            break;
        }
    }
    if (end < device_.events.size() && endsWait(device_.events[end].kind)) {
        return playRequest();
    }
    for (; next_ < end; ++next_) {
        if (!device_.events[next_].changes()) {
            continue;
        }
        add(next_);
        const auto found = waiting_.find(group_.back().event.address);
        if (found != waiting_.end()) {
            allocator_.streamDone(found->second);
        }
    }
    allocator_.takeBack();
    compare();
}

/// The events up to the end of a request: its "alloc" or "oom", or what cannot belong to it.
std::size_t Player::endOfRequest() const {
    std::size_t end = next_;
    for (; end < device_.events.size(); ++end) {
        const Kind kind = device_.events[end].kind;
        if (kind == Kind::Allocate || kind == Kind::OutOfMemory) {
            return end + 1;
        }
        if (kind == Kind::FreeRequested) {
            break;
        }
    }
    return end;
}

void Player::playRequest() {
    const std::size_t end = endOfRequest();
    for (; next_ < end; ++next_) {
        if (device_.events[next_].changes()) {
            add(next_);
        }
    }
    const DeviceEvent& last = group_.back().event;
    const bool requests = isRequest(last);
    const auto first = std::ranges::find_if(
        group_, [](const Recorded& each) { return each.event.kind != DeviceEvent::Kind::FreeCompleted; });
    const bool returns = first != group_.end() && returnsMemory(first->event);
    if (returns && (!requests || emptiedBefore(last, first->event))) {
        ++result_.emptied;
        allocator_.emptyCache();
    }
    if (requests) {
        refused_ = 0;
        ask(last);
        result_.refused += returns && last.kind == DeviceEvent::Kind::Allocate && refused_ > 0;
    }
    compare();
}

/// Whether memory went back because the program emptied the cache before the request, not for its sake: the
/// request could have been served without, or would have released another segment first.
bool Player::emptiedBefore(const DeviceEvent& request, const DeviceEvent& release) const {
    const auto stream = static_cast<Stream>(request.stream);
    const auto first = allocator_.oversizeFor(request.bytes, stream);
    return allocator_.hasCached(request.bytes, stream) || (first && *first != release.address);
}

void Player::ask(const DeviceEvent& request) {
    const auto block = allocator_.allocate(request.bytes, static_cast<Stream>(request.stream));
    if (!block) {
        return;
    }
    const std::int64_t address = allocator_.block(*block).address;
    if (!blocks_.try_emplace(address, *block).second) {
        giveUp(fmt::format("the recording contradicts itself: two ranges of addresses overlap at {:#x}",
                           address));
    }
}

void Player::add(std::size_t number) {
    const HistoryEvent& event = device_.events[number];
    group_.push_back({number,
                      {kindOf(event.kind), static_cast<std::int64_t>(event.address), event.size,
                       streams_.at(event.stream)}});
}

/// The driver gave memory where the recording goes on with it. Where the recording has no need of memory, the
/// difference is what the simulation does with it.
bool Player::giveMemory(Bytes bytes) {
    if (said_.size() >= group_.size()) {
        return true;
    }
    const DeviceEvent& event = group_[said_.size()].event;
    const bool refuses = returnsMemory(event) || event.kind == DeviceEvent::Kind::OutOfMemory ||
                         event.kind == DeviceEvent::Kind::FreeCompleted;
    if (refuses) {
        refused_ = bytes;
    }
    return !refuses;
}

std::int64_t Player::placeNext(Bytes bytes, Stream stream, bool small) {
    const auto place = recordedPlace(stream, small);
    if (place && !isTaken(*place, bytes, stream, small)) {
        return *place;
    }
    const std::int64_t own = nowhere_;
    nowhere_ += memory::roundUp(bytes, memory::kSegmentStep);
    return own;
}

/// Where the recording has the new segment. A range of an expandable one begins with the memory that is
/// mapped first, which comes later if the driver gives none now.
std::optional<std::int64_t> Player::recordedPlace(Stream stream, bool small) const {
    if (!result_.expandable) {
        const bool known = said_.size() < group_.size() && takesMemory(group_[said_.size()].event);
        return known ? std::optional(group_[said_.size()].event.address) : std::nullopt;
    }
    const std::size_t first = said_.size() < group_.size() ? group_[said_.size()].number : next_;
    for (std::size_t i = first; i < device_.events.size(); ++i) {
        const HistoryEvent& event = device_.events[i];
        if (event.kind == Kind::SegmentMap && streams_.at(event.stream) == stream &&
            (event.size == memory::kSmallUnit) == small) {
            return static_cast<std::int64_t>(event.address);
        }
    }
    return std::nullopt;
}

/// Expandable segments are ranges of addresses that nobody else gets; how long they are is not recorded. So
/// only a second one of the same pool is refused.
bool Player::isTaken(std::int64_t address, Bytes bytes, Stream stream, bool small) const {
    if (result_.expandable) {
        return std::ranges::any_of(allocator_.snapshot(), [&](const memory::SegmentInfo& segment) {
            return segment.stream == stream && segment.small == small;
        });
    }
    const auto after = segments_.lower_bound(address + bytes);
    return after != segments_.begin() && std::prev(after)->first + std::prev(after)->second > address;
}

void Player::hear(const DeviceEvent& event) {
    said_.push_back(event);
    if (event.kind == DeviceEvent::Kind::SegmentAllocate) {
        segments_[event.address] = event.bytes;
    } else if (event.kind == DeviceEvent::Kind::SegmentFree) {
        segments_.erase(event.address);
    }
}

}  // namespace highwater::capture
