#include "tests/core/capture/replay/recorder.h"

#include <fmt/format.h>

#include "core/memory/allocator_rules.h"
#include "tests/core/memory/allocator_dice.h"

namespace highwater::test {

namespace {

using namespace capture;
using Kind = HistoryEvent::Kind;
using memory::BlockState;
using memory::DeviceEvent;

/// Large enough that the addresses of an expandable segment are never used up.
constexpr base::Bytes kTotal = base::Bytes{1} << 40;
constexpr std::int64_t kBase = std::int64_t{0x7f} << 40;

Kind kindOf(DeviceEvent::Kind kind) {
    constexpr Kind kinds[] = {Kind::Allocate,        Kind::FreeRequested, Kind::FreeCompleted,
                              Kind::SegmentAllocate, Kind::SegmentFree,   Kind::SegmentMap,
                              Kind::SegmentUnmap,    Kind::OutOfMemory};
    return kinds[static_cast<std::size_t>(kind)];
}

HistorySegment segmentOf(const memory::SegmentInfo& info) {
    HistorySegment segment{static_cast<std::uint64_t>(info.address),
                           info.size,
                           handleOf(info.stream),
                           info.small,
                           info.expandable,
                           {},
                           {}};
    for (const memory::BlockInfo& block : info.blocks) {
        const auto state = block.state == BlockState::Free      ? HistoryBlock::State::Free
                           : block.state == BlockState::Waiting ? HistoryBlock::State::Waiting
                                                                : HistoryBlock::State::Allocated;
        segment.blocks.push_back(
            {static_cast<std::uint64_t>(block.address), block.size, block.requested, state});
    }
    return segment;
}

}  // namespace

std::uint64_t handleOf(std::uint64_t stream) {
    return stream == 0 ? 0 : 0x55d000000000 + stream * 0x40;
}

Recorder::Recorder(const memory::AllocatorConfig& config, base::Bytes capacity)
    : allocator(*memory::CachingAllocator::create(config, {kTotal, capacity, std::nullopt})) {
    allocator.observe([this](const DeviceEvent& e) {
        HistoryEvent event;
        event.kind = kindOf(e.kind);
        event.address = static_cast<std::uint64_t>(e.address);
        event.size = e.bytes;
        event.stream = handleOf(e.stream);
        event.time = static_cast<std::int64_t>(events_.size());
        events_.push_back(event);
    });
    allocator.place([next = kBase](base::Bytes bytes, memory::Stream, bool) mutable {
        const std::int64_t address = next;
        next += memory::kSegmentStep * ((bytes + memory::kSegmentStep - 1) / memory::kSegmentStep);
        return address;
    });
}

History Recorder::history(std::size_t dropped) const {
    History history;
    DeviceHistory& device = history.devices.emplace_back();
    device.events.assign(events_.begin() + static_cast<std::ptrdiff_t>(dropped), events_.end());
    for (const memory::SegmentInfo& info : allocator.snapshot()) {
        device.segments.push_back(segmentOf(info));
    }
    const memory::AllocatorConfig& config = allocator.config();
    HistorySettings settings;
    settings.text =
        fmt::format("max_non_split_rounding_mb:{},large_segment_size_mb:{}",
                    config.maxNonSplitRounding / base::kMiB, config.largeSegmentSize / base::kMiB);
    settings.maxSplitSize = config.maxSplitSize;
    settings.expandableSegments = config.expandableSegments;
    settings.roundupDivisions = config.roundupDivisions;
    history.settings = settings;
    history.torch.first = {2, 12};
    return history;
}

void runProgram(Recorder& recorder, std::uint64_t seed, int steps) {
    memory::testing::Dice dice(seed);
    std::vector<memory::BlockIndex> blocks;
    for (int step = 0; step < steps; ++step) {
        const auto stream = static_cast<memory::Stream>(dice.oneIn(3) ? dice.below(3) : 0);
        if (dice.oneIn(200)) {
            recorder.allocator.emptyCache();
        } else if (dice.oneIn(12)) {
            recorder.allocator.streamDone(stream);
        } else if (blocks.empty() || dice.below(100) < 54) {
            if (const auto block = recorder.allocator.allocate(memory::testing::randomSize(dice), stream)) {
                blocks.push_back(*block);
            }
        } else {
            std::swap(blocks[static_cast<std::size_t>(dice.below(static_cast<base::Bytes>(blocks.size())))],
                      blocks.back());
            if (dice.oneIn(10)) {
                recorder.allocator.recordStream(blocks.back(), stream);
            }
            recorder.allocator.free(blocks.back());
            blocks.pop_back();
        }
    }
}

}  // namespace highwater::test
