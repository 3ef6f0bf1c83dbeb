#include "core/capture/segments_at.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace highwater::capture {

namespace {

using Event = HistoryEvent::Kind;

constexpr base::Bytes kMostSize = base::Bytes{1} << 50;  // a larger number is not a size
constexpr base::Bytes kSmallSegment = base::Bytes{2} << 20;

class Undoing {
public:
    Undoing(std::span<const HistoryEvent> events, const std::vector<HistorySegment>& atEnd)
        : events_(events) {
        for (const HistorySegment& segment : atEnd) {
            HistorySegment& range = ranges_[segment.address];
            range = segment;
            range.blocks.clear();
            for (const HistoryBlock& block : segment.blocks) {
                if (block.state != HistoryBlock::State::Free) {
                    blocks_[block.address] = block;
                }
            }
        }
        const auto any = [&](Event kind) {
            return std::ranges::any_of(events, [&](const HistoryEvent& each) { return each.kind == kind; });
        };
        completed_ = any(Event::FreeCompleted);
        requested_ = any(Event::FreeRequested);
    }

    void undo(const HistoryEvent& event) {
        if (event.size < 0 || event.size > kMostSize) {
            return;
        }
        switch (event.kind) {
            case Event::Allocate:
                blocks_.erase(event.address);
                return;
            case Event::FreeRequested:
                return undoFree(event, true);
            case Event::FreeCompleted:
                return undoFree(event, false);
            case Event::SegmentAllocate:
                ranges_.erase(event.address);
                return;
            case Event::SegmentFree:
                return addRange(event, false);
            case Event::SegmentMap:
                return takeRange(event.address, event.address + static_cast<std::uint64_t>(event.size));
            case Event::SegmentUnmap:
                return addRange(event, true);
            default:
                return;
        }
    }

    /// Sets the stack and age of each block from its newest allocation among the first `count` events.
    void describe(std::size_t count) {
        std::unordered_map<std::uint64_t, std::size_t> born;
        std::int64_t now = -1;
        for (std::size_t i = 0; i < count; ++i) {
            now = std::max(now, events_[i].time);
            if (events_[i].kind == Event::Allocate) {
                born[events_[i].address] = i;
            }
        }
        for (auto& [address, block] : blocks_) {
            const auto found = born.find(address);
            block.age = -1;
            if (found != born.end()) {
                const HistoryEvent& event = events_[found->second];
                block.stack = event.stack;
                block.age = event.time < 0 ? -1 : now - event.time;
            }
        }
    }

    std::vector<HistorySegment> segments() const {
        std::vector<HistorySegment> made;
        for (const auto& [begin, range] : ranges_) {
            HistorySegment segment = range;
            const std::uint64_t end = begin + static_cast<std::uint64_t>(range.size);
            std::uint64_t at = begin;
            for (auto block = blocks_.lower_bound(begin); block != blocks_.end() && block->first < end;
                 ++block) {
                if (block->first < at) {
                    continue;
                }
                addGap(segment, at, block->first);
                segment.blocks.push_back(block->second);
                HistoryBlock& added = segment.blocks.back();
                added.size = std::min(added.size, static_cast<base::Bytes>(end - block->first));
                at = block->first + static_cast<std::uint64_t>(added.size);
            }
            addGap(segment, at, end);
            made.push_back(std::move(segment));
        }
        return made;
    }

private:
    static void addGap(HistorySegment& segment, std::uint64_t from, std::uint64_t to) {
        if (to > from) {
            segment.blocks.push_back(
                {from, static_cast<base::Bytes>(to - from), 0, HistoryBlock::State::Free});
        }
    }

    /// Restores the block: freed by the program but in use on a stream, or in use.
    void undoFree(const HistoryEvent& event, bool request) {
        const auto [block, fresh] = blocks_.try_emplace(event.address);
        if (fresh) {
            if (request && completed_) {
                blocks_.erase(block);  // it did not exist yet
                return;
            }
            block->second.address = event.address;
            block->second.requested = event.size;
            block->second.size = std::max<base::Bytes>(512, (event.size + 511) / 512 * 512);
        }
        block->second.state =
            request || !requested_ ? HistoryBlock::State::Allocated : HistoryBlock::State::Waiting;
    }

    void addRange(const HistoryEvent& event, bool expandable) {
        HistorySegment range;
        range.address = event.address;
        range.size = event.size;
        range.stream = event.stream;
        range.pool = event.pool;
        range.expandable = expandable;
        range.small = event.size == kSmallSegment;
        if (!expandable) {
            ranges_.insert_or_assign(range.address, range);
            return;
        }
        const auto ends = [](const HistorySegment& each) {
            return each.address + static_cast<std::uint64_t>(each.size);
        };
        auto next = ranges_.lower_bound(range.address);
        if (next != ranges_.begin()) {
            const auto before = std::prev(next);
            if (before->second.expandable && ends(before->second) == range.address) {
                range.address = before->first;
                range.size += before->second.size;
                range.small = before->second.small;
                ranges_.erase(before);
            }
        }
        if (next != ranges_.end() && next->second.expandable && next->first == ends(range)) {
            range.size += next->second.size;
            range.small = next->second.small;
            ranges_.erase(next);
        }
        ranges_.insert_or_assign(range.address, range);
    }

    /// Removes [begin, end) from the expandable ranges.
    void takeRange(std::uint64_t begin, std::uint64_t end) {
        auto range = ranges_.upper_bound(begin);
        if (range != ranges_.begin()) {
            --range;
        }
        while (range != ranges_.end() && range->first < end) {
            const HistorySegment whole = range->second;
            const std::uint64_t wholeEnd = whole.address + static_cast<std::uint64_t>(whole.size);
            if (!whole.expandable || wholeEnd <= begin) {
                ++range;
                continue;
            }
            range = ranges_.erase(range);
            if (whole.address < begin) {
                HistorySegment left = whole;
                left.size = static_cast<base::Bytes>(begin - whole.address);
                ranges_[left.address] = left;
            }
            if (wholeEnd > end) {
                HistorySegment right = whole;
                right.address = end;
                right.size = static_cast<base::Bytes>(wholeEnd - end);
                ranges_[end] = right;
            }
        }
    }

    std::span<const HistoryEvent> events_;
    std::map<std::uint64_t, HistorySegment> ranges_;  // without their blocks
    std::map<std::uint64_t, HistoryBlock> blocks_;    // in use or waiting
    bool completed_ = false, requested_ = false;      // whether such events were recorded
};

}  // namespace

base::Result<std::vector<HistorySegment>> segmentsAt(std::span<const HistoryEvent> events, std::size_t count,
                                                     const std::vector<HistorySegment>& atEnd,
                                                     const Progress& progress) {
    constexpr std::size_t breath = 65536;
    count = std::min(count, events.size());
    Undoing undoing(events, atEnd);
    for (std::size_t i = events.size(); i > count; --i) {
        if (i % breath == 0 && progress &&
            !progress(static_cast<double>(events.size() - i) / static_cast<double>(events.size()))) {
            return base::Error{"cancelled"};
        }
        undoing.undo(events[i - 1]);
    }
    undoing.describe(count);
    return undoing.segments();
}

}  // namespace highwater::capture
