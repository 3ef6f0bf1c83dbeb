#include "core/predict/fit/walk_replay.h"

#include "core/memory/caching_allocator.h"

namespace highwater::predict {

namespace {

using base::Bytes;

Bytes at(const Estimate& bytes, Level level) {
    return level == Level::Low ? bytes.low : level == Level::Expected ? bytes.expected : bytes.high;
}

/// Replays the walk's requests on a device. With `yields`, a size that was not measured may shrink to its
/// lower ends.
class Replay {
public:
    Replay(const Walk& walk, Level level, bool yields) : walk_(walk), level_(level), yields_(yields) {}

    Outcome run(const memory::AllocatorConfig& config, Bytes capacity) {
        Outcome outcome;
        auto allocator = memory::CachingAllocator::create(config, {kMostMemory, capacity, {}});
        if (!allocator) {
            return outcome;
        }
        std::vector<memory::BlockIndex> blocks(walk_.blocks.size(), memory::kNoBlock);
        for (std::size_t i = 0; i < walk_.events.size(); ++i) {
            const WalkEvent& event = walk_.events[i];
            auto& block = blocks[event.block];
            if (event.kind == WalkEvent::Kind::Free && block != memory::kNoBlock) {
                allocator->free(block);
                block = memory::kNoBlock;
            }
            if (event.kind == WalkEvent::Kind::Free && walk_.blocks[event.block].emptiesCache) {
                allocator->emptyCache();
            }
            if (event.kind != WalkEvent::Kind::Allocate) {
                continue;
            }
            if (!allocate(*allocator, walk_.blocks[event.block], block)) {
                outcome.outOfMemory = allocator->outOfMemory();
                outcome.event = i;
                break;
            }
            const auto& all = allocator->stats().all;
            outcome.peakAllocated = all.allocatedBytes.peak;
            if (all.reservedBytes.current > outcome.peakReserved) {
                outcome.peakReserved = all.reservedBytes.current;
                outcome.fragmentation = all.reservedBytes.current - all.allocatedBytes.current;
            }
        }
        return outcome;
    }

private:
    bool allocate(memory::CachingAllocator& allocator, const WalkBlock& wanted,
                  memory::BlockIndex& block) const {
        const auto take = [&](Bytes size) {
            const auto made = size > 0 ? allocator.allocate(size) : std::nullopt;
            block = made ? *made : block;
            return size <= 0 || made;
        };
        for (int level = static_cast<int>(level_); level >= 0; --level) {
            if (take(at(wanted.bytes, static_cast<Level>(level)))) {
                return true;
            }
            if (!yields_ || wanted.bytes.exact()) {
                break;
            }
        }
        return wanted.least >= 0 && wanted.least < at(wanted.bytes, Level::Low) && take(wanted.least);
    }

    const Walk& walk_;
    Level level_;
    bool yields_;
};

}  // namespace

Outcome replay(const Walk& walk, Level level, bool yields, const memory::AllocatorConfig& config,
               Bytes capacity) {
    return Replay(walk, level, yields).run(config, capacity);
}

}  // namespace highwater::predict
