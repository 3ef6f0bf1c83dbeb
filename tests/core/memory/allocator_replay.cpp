#include "tests/core/memory/allocator_replay.h"

#include <fmt/format.h>

#include <vector>

namespace highwater::memory {
namespace {

using base::Error;

constexpr BlockIndex kNoBytes = kNoBlock - 1;  // alive, but has no block because it has 0 bytes

class Player {
public:
    Player(CachingAllocator& allocator, std::size_t ids) : allocator_(allocator), blocks_(ids, kNoBlock) {}

    /// Returns why the event is not allowed, or nullptr if it is.
    const char* refusal(const AllocatorEvent& e) const {
        if (e.stream >= kMostStreams) {
            return "streams are 0 to 1023";
        }
        if (e.kind == AllocatorEvent::Kind::StreamDone || e.kind == AllocatorEvent::Kind::EmptyCache) {
            return nullptr;
        }
        if (e.id >= blocks_.size()) {
            return "ids are below the number of events";
        }
        const bool alive = blocks_[e.id] != kNoBlock;
        if (e.kind != AllocatorEvent::Kind::Allocate) {
            return alive ? nullptr : "only a tensor that is alive can be freed or used";
        }
        if (e.bytes < 0) {
            return "sizes are 0 B or more";
        }
        return alive ? "a tensor that is alive cannot be allocated again" : nullptr;
    }

    /// Returns false if out of memory. The event must have no refusal().
    bool play(const AllocatorEvent& e) {
        switch (e.kind) {
            case AllocatorEvent::Kind::Allocate:
                return allocate(e);
            case AllocatorEvent::Kind::Free:
                if (blocks_[e.id] != kNoBytes) {
                    allocator_.free(blocks_[e.id]);
                }
                blocks_[e.id] = kNoBlock;
                break;
            case AllocatorEvent::Kind::RecordStream:
                if (blocks_[e.id] != kNoBytes) {
                    allocator_.recordStream(blocks_[e.id], e.stream);
                }
                break;
            case AllocatorEvent::Kind::StreamDone:
                allocator_.streamDone(e.stream);
                break;
            case AllocatorEvent::Kind::EmptyCache:
                allocator_.emptyCache();
                break;
        }
        return true;
    }

private:
    bool allocate(const AllocatorEvent& e) {
        if (e.bytes == 0) {
            blocks_[e.id] = kNoBytes;
            return true;
        }
        const auto block = allocator_.allocate(e.bytes, e.stream);
        if (block) {
            blocks_[e.id] = *block;
        }
        return block.has_value();
    }

    CachingAllocator& allocator_;
    std::vector<BlockIndex> blocks_;
};

}  // namespace

base::Result<AllocatorReplay> replayAllocator(const AllocatorConfig& config, const DeviceMemory& device,
                                              std::span<const AllocatorEvent> events) {
    auto allocator = CachingAllocator::create(config, device);
    if (!allocator) {
        return allocator.error();
    }
    Player player(*allocator, events.size());
    AllocatorReplay replay;
    for (; replay.events < events.size(); ++replay.events) {
        const AllocatorEvent& event = events[replay.events];
        if (const char* refusal = player.refusal(event)) {
            return Error{fmt::format("event {} (tensor {}, stream {}, {} B): {}", replay.events, event.id,
                                     event.stream, event.bytes, refusal)};
        }
        if (!player.play(event)) {
            replay.outOfMemory = allocator->outOfMemory();
            break;
        }
    }
    replay.stats = allocator->stats();
    replay.snapshot = allocator->snapshot();
    return replay;
}

}  // namespace highwater::memory
