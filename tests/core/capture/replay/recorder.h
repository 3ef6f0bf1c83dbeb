#pragma once

#include <vector>

#include "core/capture/history.h"
#include "core/memory/caching_allocator.h"

namespace highwater::test {

/// Records what a simulated allocator does as PyTorch's would record itself.
class Recorder {
public:
    /// The allocator's functions are called by what is done here.
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

/// The handle of a stream: in the order of the numbers, the default stream's is 0.
std::uint64_t handleOf(std::uint64_t stream);

/// What a program of so many steps leaves, by its number: requests of all sizes on three streams, frees in
/// any order, an emptied cache now and then, blocks that are used by other streams and wait for them.
void runProgram(Recorder& recorder, std::uint64_t seed, int steps);

}  // namespace highwater::test
