#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/memory/allocator_rules.h"
#include "tests/core/capture/replay/describe.h"
#include "tests/core/capture/replay/player.h"

namespace highwater::capture {

using base::Bytes;
using memory::BlockState;
using memory::DeviceEvent;

namespace {

const std::string kNothing = "nothing";

/// The compared part of an event: the free memory at an out of memory comes from the driver, so it is left
/// out.
DeviceEvent compared(DeviceEvent event, const memory::AllocatorConfig& config) {
    if (event.kind == DeviceEvent::Kind::OutOfMemory) {
        event.address = 0;
        event.bytes = memory::roundedSize(event.bytes, config);
    }
    return event;
}

/// Waiting blocks come back stream by stream, in the order of a hash table: any order is accepted.
template <class Event, class Part>
void sortReturned(std::vector<Event>& events, Part part) {
    const auto returned = [&](const Event& e) { return part(e).kind == DeviceEvent::Kind::FreeCompleted; };
    for (auto begin = events.begin(); begin != events.end();) {
        begin = std::find_if(begin, events.end(), returned);
        const auto end = std::find_if_not(begin, events.end(), returned);
        std::sort(begin, end,
                  [&](const Event& a, const Event& b) { return part(a).address < part(b).address; });
        begin = end;
    }
}

/// Describes a block for the comparison at the end.
std::string describe(std::int64_t address, Bytes size, BlockState state) {
    const char* const is = state == BlockState::Free      ? "free"
                           : state == BlockState::Waiting ? "waiting for a stream"
                                                          : "in use";
    return fmt::format("a block of {} B at {:#x}, {}", size, address, is);
}

using Texts = std::vector<std::pair<std::int64_t, std::string>>;

void addSegment(Texts& texts, std::int64_t address, Bytes size) {
    texts.emplace_back(address, fmt::format("a segment of {} B at {:#x}", size, address));
}

Texts textsOf(const memory::AllocatorSnapshot& segments) {
    Texts texts;
    for (const memory::SegmentInfo& segment : segments) {
        addSegment(texts, segment.address, segment.size);
        for (const memory::BlockInfo& block : segment.blocks) {
            texts.emplace_back(block.address, describe(block.address, block.size, block.state));
        }
    }
    return texts;
}

Texts textsOf(const std::vector<HistorySegment>& segments) {
    Texts texts;
    for (const HistorySegment& segment : segments) {
        addSegment(texts, static_cast<std::int64_t>(segment.address), segment.size);
        for (const HistoryBlock& block : segment.blocks) {
            const auto address = static_cast<std::int64_t>(block.address);
            const BlockState state = block.state == HistoryBlock::State::Free      ? BlockState::Free
                                     : block.state == HistoryBlock::State::Waiting ? BlockState::Waiting
                                                                                   : BlockState::Allocated;
            texts.emplace_back(address, describe(address, block.size, state));
        }
    }
    std::ranges::stable_sort(texts, {}, &Texts::value_type::first);
    return texts;
}

}  // namespace

void Player::differ(std::size_t event, std::string recorded, std::string predicted) {
    if (!ended()) {
        result_.difference = {static_cast<std::int64_t>(event), std::move(recorded), std::move(predicted)};
    }
}

/// Compares the simulation's events with the recorded group.
void Player::compare() {
    if (ended()) {
        return;
    }
    sortReturned(group_, [](const Recorded& r) { return r.event; });
    sortReturned(said_, [](const DeviceEvent& e) { return e; });
    for (std::size_t i = 0; i < group_.size(); ++i) {
        const Recorded& recorded = group_[i];
        const std::string text = capture::describe(device_.events[recorded.number]);
        if (i >= said_.size()) {
            return differ(recorded.number, text, kNothing);
        }
        if (compared(said_[i], allocator_.config()) != compared(recorded.event, allocator_.config())) {
            return differ(recorded.number, text, capture::describe(said_[i]));
        }
        count(recorded.event);
    }
    if (said_.size() > group_.size()) {
        return differ(next_,
                      next_ < device_.events.size() ? capture::describe(device_.events[next_]) : kNothing,
                      capture::describe(said_[group_.size()]));
    }
    const Bytes reserved = allocator_.stats().all.reservedBytes.current;
    if (reserved != reserved_) {
        differ(group_.back().number, fmt::format("{} B reserved", reserved_),
               fmt::format("{} B reserved", reserved));
    }
}

/// Counts an event of the recording that was predicted.
void Player::count(const DeviceEvent& event) {
    using enum DeviceEvent::Kind;
    switch (event.kind) {
        case Allocate:
            ++result_.allocations;
            break;
        case SegmentAllocate:
        case SegmentMap:
            ++result_.segmentsTaken;
            reserved_ += event.bytes;
            break;
        case SegmentFree:
        case SegmentUnmap:
            ++result_.segmentsReturned;
            reserved_ -= event.bytes;
            break;
        case OutOfMemory:
            return countOutOfMemory(event);
        case FreeCompleted:
            if (const auto waited = waiting_.extract(event.address); !waited.empty()) {
                idle_.push_back(waited.mapped());
            }
            break;
        case FreeRequested:
            break;
    }
    result_.highestReserved = std::max(result_.highestReserved, reserved_);
}

/// A request runs out of memory if the device has less than it needs.
void Player::countOutOfMemory(const DeviceEvent& event) {
    ++result_.outOfMemories;
    if (event.address >= refused_) {
        return differ(group_.back().number, fmt::format("oom, {} B free on the device", event.address),
                      fmt::format("{} B are enough, unless the program caps its memory", refused_));
    }
    const Bytes capacity = reserved_ + event.address;
    result_.capacity = std::max(result_.capacity.value_or(0), capacity);
}

void Player::compareEnd() {
    if (result_.capacity && result_.highestReserved > *result_.capacity) {
        return giveUp(
            fmt::format("the device's memory changed: {} B were reserved, {} B at most when it ran out",
                        result_.highestReserved, *result_.capacity));
    }
    const Texts recorded = textsOf(device_.segments), predicted = textsOf(allocator_.snapshot());
    for (std::size_t i = 0; i < std::max(recorded.size(), predicted.size()); ++i) {
        const std::string& left = i < recorded.size() ? recorded[i].second : kNothing;
        const std::string& right = i < predicted.size() ? predicted[i].second : kNothing;
        if (left != right) {
            return differ(device_.events.size(), left, right);
        }
    }
}

}  // namespace highwater::capture
