#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <random>

#include "core/base/text.h"
#include "tests/bench/allocator_bench/training_trace.h"
#include "tests/core/memory/allocator_replay.h"

namespace highwater::memory {
namespace {

/// Tensors of log-uniform sizes that are freed in random order: thousands of free blocks, the worst case for
/// searching.
std::vector<AllocatorEvent> randomTrace(std::size_t events, std::uint32_t alive, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<bool> lives(alive, false);
    std::vector<AllocatorEvent> trace;
    trace.reserve(events);
    while (trace.size() < events) {
        const auto id = static_cast<std::uint32_t>(random() % alive);
        if (lives[id]) {
            trace.push_back({AllocatorEvent::Kind::Free, 0, id, 0});
        } else {
            trace.push_back(
                {AllocatorEvent::Kind::Allocate, 0, id,
                 static_cast<base::Bytes>(1 + random() % (std::uint64_t{1} << (6 + random() % 21)))});
        }
        lives[id] = !lives[id];
    }
    return trace;
}

void measure(const char* name, const AllocatorConfig& config, const std::vector<AllocatorEvent>& events) {
    const DeviceMemory device{320 * base::kGiB, 320 * base::kGiB, std::nullopt};
    double best = 1e300;
    for (int repeat = 0; repeat < 5; ++repeat) {
        const auto begin = std::chrono::steady_clock::now();
        const auto replay = replayAllocator(config, device, events);
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
        best = std::min(best, seconds.count());
        if (repeat == 0 && replay) {
            fmt::print("{:<36} {:>8} events {:>10} reserved {:>10} allocated {:>5} segments{}\n", name,
                       replay->events, base::formatBytes(replay->stats.all.reservedBytes.peak),
                       base::formatBytes(replay->stats.all.allocatedBytes.peak),
                       replay->stats.all.segments.peak, replay->outOfMemory ? " OUT OF MEMORY" : "");
        }
    }
    fmt::print("{:<36} {:>8.2f} million events a second\n", "",
               static_cast<double>(events.size()) / best / 1e6);
}

}  // namespace
}  // namespace highwater::memory

int main() {
    using namespace highwater::memory;
    const auto fixed = bench::trainingTrace(1000, false, 1);
    const auto changing = bench::trainingTrace(1000, true, 2);
    AllocatorConfig expandable;
    expandable.expandableSegments = true;
    measure("training, fixed patches", {}, fixed);
    measure("training, changing patches", {}, changing);
    measure("the same, expandable segments", expandable, changing);
    measure("random, 1,000 tensors alive", {}, randomTrace(1'000'000, 2000, 3));
    measure("random, 50,000 tensors alive", {}, randomTrace(1'000'000, 100'000, 4));
}
