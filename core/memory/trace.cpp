#include "core/memory/trace.h"

#include <fmt/format.h>

#include <limits>

#include "core/memory/trace_replay.h"

namespace highwater::memory {

namespace {

using base::Error;

bool inRange(std::int64_t index, std::size_t size) {
    return index >= -1 && index < static_cast<std::int64_t>(size);
}

bool knows(const Trace& trace, std::int32_t stack) {
    return stack == -1 || (trace.stacks && trace.stacks->has(stack));
}

base::Status checkBlocks(const Trace& trace) {
    if (trace.blocks.size() > std::numeric_limits<std::uint32_t>::max()) {
        return Error{fmt::format("{} blocks are too many; at most 2^32 - 1", trace.blocks.size())};
    }
    for (std::size_t i = 0; i < trace.blocks.size(); ++i) {
        const TraceBlock& block = trace.blocks[i];
        if (block.bytes < 0 || block.reserved < 0) {
            return Error{fmt::format("block {} has negative bytes", i)};
        }
        if (!inRange(block.label, trace.labels.size())) {
            return Error{fmt::format("block {} has label {}; there are {} labels", i, block.label,
                                     trace.labels.size())};
        }
        if (!knows(trace, block.stack)) {
            return Error{fmt::format("block {} has stack {}, which does not exist", i, block.stack)};
        }
    }
    return {};
}

/// Checks the marks next to the events: reserved memory, and refused requests.
base::Status checkMarks(const Trace& trace) {
    std::size_t last = 0;
    for (const TraceReserved& each : trace.reserved) {
        if (each.event < last || each.event > trace.events.size() || each.bytes < 0) {
            return Error{fmt::format("what is reserved from event {} on is out of place", each.event)};
        }
        last = each.event;
    }
    last = 0;
    for (const TraceRefusal& each : trace.refusals) {
        if (each.event < last || each.event > trace.events.size() || !knows(trace, each.stack)) {
            return Error{fmt::format("the refusal at event {} is out of place", each.event)};
        }
        last = each.event;
    }
    return {};
}

base::Status checkSteps(const Trace& trace) {
    for (std::size_t i = 0; i < trace.steps.size(); ++i) {
        const TraceStep& step = trace.steps[i];
        if (step.event > trace.events.size()) {
            return Error{fmt::format("step {} begins at event {}; there are {}", step.index, step.event,
                                     trace.events.size())};
        }
        if (i > 0 && (step.event < trace.steps[i - 1].event || step.index <= trace.steps[i - 1].index)) {
            return Error{
                fmt::format("step {} does not follow step {}", step.index, trace.steps[i - 1].index)};
        }
    }
    return {};
}

base::Status checkAlive(const Trace& trace, TraceReplay& replay) {
    for (std::size_t i = 0; i < trace.alive.size(); ++i) {
        const TraceAlive& each = trace.alive[i];
        if (i > 0 && each.block <= trace.alive[i - 1].block) {
            return Error{fmt::format("block {}, alive at the start, does not follow block {}", each.block,
                                     trace.alive[i - 1].block)};
        }
        if (!inRange(each.layer, trace.layers.size())) {
            return Error{fmt::format("block {}, alive at the start, is of layer {}; there are {}", each.block,
                                     each.layer, trace.layers.size())};
        }
        if (const char* wrong = each.block < trace.blocks.size()
                                    ? replay.begin(each, trace.blocks[each.block].bytes)
                                    : "does not exist") {
            return Error{fmt::format("block {}, alive at the start, {}", each.block, wrong)};
        }
    }
    return {};
}

base::Status checkEvents(const Trace& trace, TraceReplay& replay) {
    for (std::size_t i = 0; i < trace.events.size(); ++i) {
        const TraceEvent& event = trace.events[i];
        if (event.time < 0 || (i > 0 && event.time < trace.events[i - 1].time)) {
            return Error{fmt::format("event {} is earlier than the one before", i)};
        }
        if (!inRange(event.layer, trace.layers.size())) {
            return Error{
                fmt::format("event {} is of layer {}; there are {}", i, event.layer, trace.layers.size())};
        }
        const bool known = event.block < trace.blocks.size();
        if (const char* wrong = replay.apply(event, known ? trace.blocks[event.block].bytes : 0)) {
            return Error{fmt::format("event {} {} (block {})", i, wrong, event.block)};
        }
    }
    return {};
}

}  // namespace

base::Status check(const Trace& trace) {
    HIGHWATER_TRY(checkBlocks(trace));
    HIGHWATER_TRY(checkSteps(trace));
    HIGHWATER_TRY(checkMarks(trace));
    TraceReplay replay;
    replay.grow(trace.blocks.size());
    HIGHWATER_TRY(checkAlive(trace, replay));
    return checkEvents(trace, replay);
}

TracePeak findPeak(const Trace& trace) {
    TraceReplay replay;
    replay.grow(trace.blocks.size());
    for (const TraceAlive& each : trace.alive) {
        replay.begin(each, trace.blocks[each.block].bytes);
    }
    for (const TraceEvent& event : trace.events) {
        replay.apply(event, trace.blocks[event.block].bytes);
    }
    return replay.peak();
}

}  // namespace highwater::memory
