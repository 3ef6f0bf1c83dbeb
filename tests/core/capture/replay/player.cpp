#include "tests/core/capture/replay/player.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/memory/allocator_rules.h"
#include "tests/core/capture/replay/describe.h"

namespace highwater::capture {

using base::Bytes;
using memory::BlockIndex;
using memory::BlockState;
using memory::DeviceEvent;
using memory::Stream;
using Kind = HistoryEvent::Kind;

namespace {

/// The maximum number of readings tried at one place.
constexpr std::size_t kMostChoices = 8;

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

bool isRequest(const DeviceEvent& event) {
    return event.kind == DeviceEvent::Kind::Allocate || event.kind == DeviceEvent::Kind::OutOfMemory;
}

/// Whether the allocator synchronized all streams just before an event of this kind.
bool endsWait(Kind kind) {
    return kind == Kind::SegmentFree || kind == Kind::SegmentUnmap || kind == Kind::OutOfMemory;
}

}  // namespace

Player::Player(memory::CachingAllocator& allocator, const DeviceHistory& device, const StreamNumbers& streams,
               const Reading& reading, DeviceReplay& result)
    : allocator_(allocator),
      device_(device),
      streams_(streams),
      reading_(reading),
      result_(result),
      next_(reading.first) {
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
    const auto blocks =
        HIGHWATER_TRY(base::prefixed("the recording contradicts itself", allocator_.restore(before)));
    for (std::size_t i = 0; i < addresses.size(); ++i) {
        blocks_[addresses[i]] = blocks[i];
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

std::size_t Player::decide(std::size_t choices) {
    const auto answer = reading_.answers.find(choices_.size());
    choices_.push_back(choices);
    return answer == reading_.answers.end() ? 0 : answer->second;
}

/// A free that does not complete at once waits for another stream. One that does may have waited
/// nevertheless, if the next event synchronizes all streams.
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
    if (completed && !waitsForDevice(endOfReturned(next_))) {
        add(next_++);
        allocator_.free(found->second);
        blocks_.erase(found);
    } else {
        wait(found->second, address);
        result_.waited -= completed;
    }
    compare();
}

/// The index after a run of events, starting at `from`, that return blocks.
std::size_t Player::endOfReturned(std::size_t from) const {
    for (; from < device_.events.size(); ++from) {
        if (device_.events[from].kind != Kind::FreeCompleted && device_.events[from].changes()) {
            break;
        }
    }
    return from;
}

/// Whether the events from here show a request for which the allocator may have synchronized all streams,
/// because the driver refused memory. A block freed just before may have come back only then: too late to
/// serve the request.
bool Player::waitsForDevice(std::size_t from) const {
    if (from >= device_.events.size() || !endsWait(device_.events[from].kind)) {
        return false;
    }
    const std::size_t end = endOfRequest(from);
    const Kind last = device_.events[end - 1].kind;
    return last == Kind::Allocate || last == Kind::OutOfMemory;
}

/// Frees a block that waits for a stream assigned to it alone.
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

/// Waiting blocks come back when the allocator processes events at the next request, or when it synchronizes
/// all streams because the driver refused memory or the cache is emptied; then they belong to the following
/// group.
void Player::playReturned() {
    const std::size_t end = endOfReturned(next_);
    std::size_t count = 0;
    for (std::size_t i = next_; i < end; ++i) {
        count += device_.events[i].changes();
    }
    const std::size_t early = returnedEarly(end, count);
    if (early > 0) {
        takeBack(early);
    }
    if (early < count && !ended()) {
        group_.clear();
        said_.clear();
        playRequest();
    }
}

/// How many of the `count` blocks that came back before the event `end` did so when the allocator processed
/// events, not at the later synchronization of all streams. With a max_split_size, a request may release
/// memory without synchronizing, so most likely all of them did.
std::size_t Player::returnedEarly(std::size_t end, std::size_t count) {
    if (end >= device_.events.size() || !endsWait(device_.events[end].kind)) {
        return count;
    }
    if (!waitsForDevice(end)) {
        return 0;
    }
    const bool splitLimited = allocator_.config().maxSplitSize != memory::kUnlimited;
    const std::size_t answer = decide(std::min(count + 1, kMostChoices));
    return answer < 2 ? (splitLimited == (answer == 0) ? count : 0) : count + 1 - answer;
}

/// Returns as many blocks as come back next in the recording.
void Player::takeBack(std::size_t count) {
    for (; count > 0; ++next_) {
        if (!device_.events[next_].changes()) {
            continue;
        }
        add(next_);
        --count;
        const auto found = waiting_.find(group_.back().event.address);
        if (found != waiting_.end()) {
            allocator_.streamDone(found->second);
        }
    }
    allocator_.takeBack();
    compare();
}

/// The events from `from` to the end of a request: its "alloc" or "oom", or the first event that cannot
/// belong to it.
std::size_t Player::endOfRequest(std::size_t from) const {
    for (; from < device_.events.size(); ++from) {
        const Kind kind = device_.events[from].kind;
        if (kind == Kind::Allocate || kind == Kind::OutOfMemory) {
            return from + 1;
        }
        if (kind == Kind::FreeRequested) {
            break;
        }
    }
    return from;
}

void Player::playRequest() {
    const std::size_t end = endOfRequest(next_);
    for (; next_ < end; ++next_) {
        if (device_.events[next_].changes()) {
            add(next_);
        }
    }
    const DeviceEvent last = group_.back().event;
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

/// Whether memory was released because the program emptied the cache before the request, not to serve it:
/// certain if the request could have been served from the cache. Otherwise both are possible; emptying is
/// tried first if the request would have released another segment first.
bool Player::emptiedBefore(const DeviceEvent& request, const DeviceEvent& release) {
    const auto stream = static_cast<Stream>(request.stream);
    if (allocator_.hasCached(request.bytes, stream)) {
        return true;
    }
    const auto first = allocator_.oversizeFor(request.bytes, stream);
    const bool likely = first && *first != release.address;
    return likely == (decide(2) == 0);
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

std::optional<Misplaced> Player::misplaced() const {
    if (!result_.difference || said_.empty() || said_.back().kind != DeviceEvent::Kind::Allocate) {
        return std::nullopt;
    }
    const auto found = blocks_.find(said_.back().address);
    if (found == blocks_.end()) {
        return std::nullopt;
    }
    const memory::Block& given = allocator_.block(found->second);
    const bool cut = given.next != memory::kNoBlock && allocator_.block(given.next).state == BlockState::Free;
    return Misplaced{given.address, given.size + (cut ? allocator_.block(given.next).size : 0),
                     memory::roundedSize(said_.back().bytes, allocator_.config())};
}

void Player::add(std::size_t number) {
    const HistoryEvent& event = device_.events[number];
    group_.push_back({number,
                      {kindOf(event.kind), static_cast<std::int64_t>(event.address), event.size,
                       streams_.at(event.stream)}});
}

}  // namespace highwater::capture
