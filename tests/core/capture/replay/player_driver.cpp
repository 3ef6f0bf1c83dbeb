#include <algorithm>

#include "core/memory/allocator_rules.h"
#include "tests/core/capture/replay/player.h"

namespace highwater::capture {

using base::Bytes;
using memory::DeviceEvent;
using memory::Stream;
using Kind = HistoryEvent::Kind;

/// The driver gives memory if the recording continues with it. If the recording needs no memory there, the
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

/// The recorded address of the new segment. An expandable segment begins at the memory that is mapped first,
/// which comes later if the driver refuses memory now.
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

/// Expandable segments reserve address ranges exclusively; their lengths are not recorded. So only a second
/// one of the same pool is refused.
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
