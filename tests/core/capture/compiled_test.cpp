#include "core/capture/compiled.h"

#include <gtest/gtest.h>

#include "core/memory/trace.h"

namespace highwater::capture {
namespace {

using memory::TraceEvent;

/// Stacks 0: eager; 1: Inductor's file; 2: its caller, with a cache folder of the user's own; 3: compiling.
std::shared_ptr<const memory::CallStacks> someStacks() {
    memory::CallStacks stacks;
    stacks.frames = {{"train.py", "step", 3},
                     {"/home/me/.cache/torchinductor_me/ab/cab.py", "call", 40},
                     {"/cache/ab/cab.py", "call", 40},
                     {"/site-packages/torch/_inductor/output_code.py", "__call__", 500},
                     {"/site-packages/torch/_inductor/output_code.py", "post_compile", 600}};
    stacks.order = {0, 1, 0, 2, 3, 0, 4, 0};
    stacks.stacks = {{0, 1, 0}, {1, 2, 0}, {3, 3, 0}, {6, 2, 0}};
    return std::make_shared<const memory::CallStacks>(std::move(stacks));
}

/// Blocks of 100, 20, 3 and 7 bytes with the stacks 0 to 3; the peak is 123, without the last.
memory::Trace someTrace() {
    memory::Trace trace;
    trace.stacks = someStacks();
    trace.blocks = {{100, 100, -1, 0}, {20, 20, -1, 1}, {3, 3, -1, 2}, {7, 7, -1, 3}};
    const auto add = [&](TraceEvent::Kind kind, std::uint32_t block) {
        TraceEvent event;
        event.time = static_cast<std::int64_t>(trace.events.size());
        event.kind = kind;
        event.block = block;
        trace.events.push_back(event);
    };
    add(TraceEvent::Kind::Allocate, 3);
    add(TraceEvent::Kind::Free, 3);
    add(TraceEvent::Kind::Allocate, 0);
    add(TraceEvent::Kind::Allocate, 1);
    add(TraceEvent::Kind::Allocate, 2);
    add(TraceEvent::Kind::Free, 1);
    return trace;
}

TEST(CompiledShareTest, CountsWhatCompiledCodeHoldsAtThePeak) {
    memory::Trace trace = someTrace();
    ASSERT_TRUE(memory::check(trace));
    EXPECT_EQ(compiledShare(trace), (CompiledShare{23, 123}));
    trace.events.insert(trace.events.begin() + 4, trace.events.back());  // freed before the peak
    trace.events.pop_back();
    EXPECT_EQ(compiledShare(trace), (CompiledShare{20, 120})) << "the peak is before block 2";
}

TEST(CompiledShareTest, EagerCodeAndCompilingAreNotCompiledCode) {
    memory::Trace trace = someTrace();
    for (const std::size_t block : {1U, 2U}) {
        trace.blocks[block].stack = 0;
    }
    EXPECT_EQ(compiledShare(trace), std::nullopt);
    trace.stacks = nullptr;
    EXPECT_EQ(compiledShare(trace), std::nullopt);
}

}  // namespace
}  // namespace highwater::capture
