#pragma once

#include "core/memory/trace.h"

/// A trace like that of a PyTorch snapshot: call stacks, reserved memory, an out of memory, guesses.
namespace highwater::testing {

inline std::shared_ptr<const memory::CallStacks> someStacks(int line = 57) {
    auto stacks = std::make_shared<memory::CallStacks>();
    stacks->frames = {{"??", "c10::alloc", 0},
                      {"/net/models/unet.py", "forward", line},
                      {"/net/train.py", "main", 9},
                      {"C:\\net\\data\\loader.py", "batch", 20},
                      {"/usr/lib/python3/site-packages/torch/optim/adam.py", "step", 180}};
    stacks->order = {0, 1, 2, 0, 3, 2, 4};
    stacks->stacks = {{0, 3, 1}, {3, 3, 3}, {6, 1, 4}};
    return stacks;
}

/// Three allocations of 4, 2 and 1 MiB from three stacks and one of 8 MiB from before the recording; the
/// second is freed at the end. Memory runs out after the third. `more` bytes are added to the first.
inline memory::Trace stackedTrace(base::Bytes more = 0, int line = 57) {
    using memory::Category;
    using memory::TraceEvent;
    memory::Trace trace;
    trace.title = "some.pickle";
    trace.stacks = someStacks(line);
    trace.blocks = {{8 * base::kMiB, 8 * base::kMiB, -1, -1},
                    {4 * base::kMiB + more, 4 * base::kMiB + more, -1, 0},
                    {2 * base::kMiB, 2 * base::kMiB, -1, 1},
                    {base::kMiB, base::kMiB, -1, 2}};
    trace.alive = {{0, Category::Parameters, -1}};
    trace.guessed = {true, true, false, true};
    const auto add = [&](std::uint32_t block, TraceEvent::Kind kind) {
        trace.events.push_back({static_cast<std::int64_t>(trace.events.size()) * 1000, block, -1, kind,
                                Category::Activations, memory::Phase::Forward});
    };
    add(1, TraceEvent::Kind::Allocate);
    add(2, TraceEvent::Kind::Allocate);
    add(3, TraceEvent::Kind::Allocate);
    add(2, TraceEvent::Kind::Free);
    trace.allEvents = 4;
    trace.reserved = {{0, 10 * base::kMiB}, {1, 20 * base::kMiB}};
    trace.refusals = {{3, 2500, 64 * base::kMiB, 5 * base::kMiB, 0}};
    return trace;
}

}  // namespace highwater::testing
