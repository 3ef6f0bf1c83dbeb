#include "tests/core/capture/replay/before.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "core/memory/allocator_rules.h"
#include "tests/core/capture/replay/describe.h"
#include "tests/core/capture/replay/settings.h"

namespace highwater::capture {

namespace {

using base::Bytes;
using base::Error;
using base::Status;
using memory::BlockInfo;
using memory::BlockState;
using memory::SegmentInfo;
using Kind = HistoryEvent::Kind;

/// A block in use at the current point of the rewinding.
struct Used {
    Bytes size = -1;  ///< -1: unknown, because only its free was recorded
    Bytes requested = 0;
    bool waiting = false;
    std::size_t freedAt = 0;  ///< the event that freed it, if its size is not known
};

class Rewind {
public:
    Rewind(const DeviceHistory& device, const memory::AllocatorConfig& config, const StreamNumbers& streams,
           const Reading& reading)
        : device_(device), config_(config), streams_(streams), reading_(reading) {}

    base::Result<StateBefore> run() {
        HIGHWATER_TRY(takeEnd());
        for (next_ = device_.events.size(); next_-- > reading_.first;) {
            const HistoryEvent& event = device_.events[next_];
            const char* const wrong = undo(event);
            if (wrong) {
                return Error{fmt::format("the recording contradicts itself: event {}, {}: {}", next_,
                                         describe(event), wrong)};
            }
            if (reserved_ > kMostMemory) {
                return Error{"the recording contradicts itself: it has more memory than any device"};
            }
        }
        if (config_.expandableSegments) {
            return reserved_ == 0 && used_.empty()
                       ? base::Result<StateBefore>(StateBefore{})
                       : Error{"expandable segments were there before the recording, which are not rebuilt"};
        }
        return lay();
    }

private:
    using UsedMap = std::map<std::int64_t, Used>;

    Status takeEnd() {
        for (const HistorySegment& segment : device_.segments) {
            const auto address = static_cast<std::int64_t>(segment.address);
            const SegmentInfo info{address,       segment.size,       streams_.at(segment.stream),
                                   segment.small, segment.expandable, {}};
            reserved_ += segment.size;
            if (!segments_.emplace(address, info).second || reserved_ > kMostMemory) {
                return Error{fmt::format("the segment at {:#x} contradicts others", segment.address)};
            }
            for (const HistoryBlock& block : segment.blocks) {
                if (block.state == HistoryBlock::State::Free) {
                    continue;
                }
                const bool waiting = block.state == HistoryBlock::State::Waiting;
                const Bytes requested = std::clamp<Bytes>(block.requested, 1, block.size);
                used_[static_cast<std::int64_t>(block.address)] = {block.size, requested, waiting, 0};
            }
        }
        return {};
    }

    /// Returns an error message, or null.
    const char* undo(const HistoryEvent& event) {
        const auto address = static_cast<std::int64_t>(event.address);
        switch (event.kind) {
            case Kind::Allocate:
                return undoAllocate(address);
            case Kind::FreeRequested:
                return undoFreeRequested(address);
            case Kind::FreeCompleted:
                return used_.try_emplace(address, Used{-1, event.size, true, next_}).second
                           ? nullptr
                           : "a block is still in use there after it";
            case Kind::SegmentAllocate:
                return undoSegmentAllocate(address, event);
            case Kind::SegmentFree:
                return undoSegmentFree(address, event);
            case Kind::SegmentMap:
                reserved_ -= event.size;
                return reserved_ < 0 ? "more is mapped than there is after it" : nullptr;
            case Kind::SegmentUnmap:
                reserved_ += event.size;
                return nullptr;
            case Kind::OutOfMemory:
            case Kind::Snapshot:
            case Kind::Other:
                break;
        }
        return nullptr;
    }

    const char* undoAllocate(std::int64_t address) {
        return used_.erase(address) > 0 ? nullptr : "no block is in use there after it";
    }

    const char* undoFreeRequested(std::int64_t address) {
        const auto found = used_.find(address);
        if (found == used_.end()) {
            return "it never completed";
        }
        if (!found->second.waiting) {
            return "the block is still in use after it";
        }
        found->second.waiting = false;
        return nullptr;
    }

    const char* undoSegmentAllocate(std::int64_t address, const HistoryEvent& event) {
        const auto found = segments_.find(address);
        if (found == segments_.end() || found->second.size != event.size) {
            return "the segment does not exist afterwards";
        }
        segments_.erase(found);
        reserved_ -= event.size;
        return nullptr;
    }

    /// A segment of 2 MiB belongs to the small pool: the large pool's segments are larger.
    const char* undoSegmentFree(std::int64_t address, const HistoryEvent& event) {
        const SegmentInfo info{
            address, event.size, streams_.at(event.stream), event.size == memory::kSmallUnit, false, {}};
        reserved_ += event.size;
        return segments_.emplace(address, info).second ? nullptr : "a segment is still there after it";
    }

    /// Puts the blocks into their segments, with free blocks in the gaps.
    base::Result<StateBefore> lay() {
        notePlacements();
        StateBefore state;
        auto used = used_.begin();
        for (auto& [address, segment] : segments_) {
            const auto first = used;
            while (used != used_.end() && used->first - address < segment.size && used->first >= address) {
                ++used;
            }
            HIGHWATER_TRY(fill(segment, first, used, state.guesses));
            state.segments.push_back(std::move(segment));
        }
        if (used != used_.end()) {
            return Error{fmt::format("the recording contradicts itself: the block at {:#x} is in no segment",
                                     used->first)};
        }
        return state;
    }

    Status fill(SegmentInfo& segment, UsedMap::const_iterator first, UsedMap::const_iterator last,
                std::vector<Guess>& guesses) const {
        const std::int64_t end = segment.address + segment.size;
        std::int64_t at = segment.address;
        const auto addFree = [&](std::int64_t to) {
            if (to > at) {
                segment.blocks.push_back({at, to - at, 0, BlockState::Free});
            }
            at = to;
        };
        for (; first != last; ++first) {
            const auto& [address, block] = *first;
            addFree(address);
            const std::int64_t limit = std::next(first) == last ? end : std::next(first)->first;
            const Bytes size =
                block.size >= 0 ? block.size : sizeOf(address, block, limit, segment.small, guesses);
            if (size > limit - address || block.requested > size) {
                return Error{
                    fmt::format("the recording contradicts itself: the block at {:#x} has no room", address)};
            }
            segment.blocks.push_back({address, size, block.requested,
                                      block.waiting ? BlockState::Waiting : BlockState::Allocated});
            at = address + size;
        }
        addFree(end);
        return {};
    }

    /// The size of a block for which only the free was recorded. `limit`: the start of the next block in use,
    /// or the segment's end.
    Bytes sizeOf(std::int64_t address, const Used& block, std::int64_t limit, bool small,
                 std::vector<Guess>& guesses) const {
        const Bytes rounded = memory::roundedSize(block.requested, config_);
        const Bytes rest = limit - address - rounded;
        if (rest <= 0) {
            return rounded;
        }
        if (small) {
            return rounded + (rest < memory::kSmallestBlock ? rest : 0);
        }
        if (rest <= memory::kLargestSmall || rounded >= config_.maxSplitSize) {
            return rounded + rest;
        }
        if (const auto known = remainder(address + rounded, limit, block.freedAt)) {
            return rounded + *known;
        }
        // The free block after it is larger than 1 MiB.
        const Bytes most = std::clamp<Bytes>(rest - memory::kLargestSmall - memory::kSmallestBlock, 0,
                                             memory::kLargestSmall);
        const auto read = reading_.remainders.find(address);
        const Bytes larger = read == reading_.remainders.end() ? 0 : std::min(read->second, most);
        guesses.push_back({address, address + rounded + larger, larger, most, block.freedAt});
        return rounded + larger;
    }

    /// The distance from `from` to the first block placed after it, before the event `until`.
    std::optional<Bytes> remainder(std::int64_t from, std::int64_t limit, std::size_t until) const {
        const std::int64_t last = std::min(limit - 1, from + memory::kLargestSmall);
        std::size_t earliest = until;
        std::optional<Bytes> distance;
        for (auto each = placed_.lower_bound(from); each != placed_.end() && each->first <= last; ++each) {
            if (each->second < earliest) {
                earliest = each->second;
                distance = each->first - from;
            }
        }
        return distance;
    }

    void notePlacements() {
        for (std::size_t i = reading_.first; i < device_.events.size(); ++i) {
            if (device_.events[i].kind == Kind::Allocate) {
                placed_.try_emplace(static_cast<std::int64_t>(device_.events[i].address), i);
            }
        }
    }

    const DeviceHistory& device_;
    const memory::AllocatorConfig& config_;
    const StreamNumbers& streams_;
    const Reading& reading_;
    std::size_t next_ = 0;
    Bytes reserved_ = 0;
    UsedMap used_;                                  // by address
    std::map<std::int64_t, SegmentInfo> segments_;  // by address
    std::map<std::int64_t, std::size_t> placed_;    // the first allocation at an address
};

}  // namespace

base::Result<StateBefore> stateBefore(const DeviceHistory& device, const memory::AllocatorConfig& config,
                                      const StreamNumbers& streams, const Reading& reading) {
    return Rewind(device, config, streams, reading).run();
}

}  // namespace highwater::capture
