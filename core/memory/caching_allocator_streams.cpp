#include <algorithm>
#include <cassert>

#include "core/memory/caching_allocator.h"

namespace highwater::memory {

void CachingAllocator::recordStream(BlockIndex index, Stream stream) {
    assert(blocks_[index].state == BlockState::Allocated && stream < kMostStreams);
    if (stream == blocks_[index].stream) {
        return;
    }
    reach(stream);
    auto& users = users_[index];
    if (std::ranges::find(users, stream) == users.end()) {
        users.push_back(stream);
    }
    blocks_[index].usedElsewhere = true;
}

/// Records one event on each stream that used the block. The block returns to the cache when all of them have
/// happened.
void CachingAllocator::recordEvents(BlockIndex index) {
    const auto users = users_.extract(index);
    Block& block = blocks_[index];
    block.usedElsewhere = false;
    block.state = BlockState::Waiting;
    block.events = static_cast<std::uint32_t>(users.mapped().size());
    for (const Stream stream : users.mapped()) {
        events_[stream].blocks.push_back(index);
    }
}

void CachingAllocator::streamDone(Stream stream) {
    if (stream >= events_.size()) {
        return;
    }
    Events& events = events_[stream];
    doneEvents_ += events.blocks.size() - events.done;
    events.done = events.blocks.size();
}

void CachingAllocator::finishEvents(Events& events, std::size_t count) {
    for (; count > 0; --count) {
        const BlockIndex index = events.blocks.front();
        events.blocks.pop_front();
        if (--blocks_[index].events == 0) {
            cacheFreed(index);
        }
    }
    events.done = 0;
}

void CachingAllocator::finishDoneEvents() {
    for (Events& events : events_) {
        finishEvents(events, events.done);
    }
    doneEvents_ = 0;
}

void CachingAllocator::waitForStreams() {
    for (Events& events : events_) {
        finishEvents(events, events.blocks.size());
    }
    doneEvents_ = 0;
}

}  // namespace highwater::memory
