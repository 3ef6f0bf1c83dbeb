#pragma once

#include <vector>

#include "core/memory/caching_allocator.h"
#include "tests/core/capture/history_read.h"

namespace highwater::test {

/// Records the actions of a simulated allocator as PyTorch's would record its own.
class Recorder {
public:
    /// The allocator's functions are called through this object.
    Recorder(const memory::AllocatorConfig& config, base::Bytes capacity);
    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;

    memory::CachingAllocator allocator;

    /// The recording so far, without its first `dropped` events.
    capture::History history(std::size_t dropped = 0) const;
    std::size_t events() const { return events_.size(); }

private:
    std::vector<capture::HistoryEvent> events_;
};

/// The handle of a stream, ordered like the numbers; that of the default stream is 0.
std::uint64_t handleOf(std::uint64_t stream);

/// The recording of a random program with this many steps: requests of all sizes on three streams, frees in
/// any order, an occasionally emptied cache, blocks that are used by other streams and wait for them.
void runProgram(Recorder& recorder, std::uint64_t seed, int steps);

}  // namespace highwater::test
