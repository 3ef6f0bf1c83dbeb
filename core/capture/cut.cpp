#include <algorithm>

#include "core/capture/snapshot_trace.h"

namespace highwater::capture {

namespace {

using memory::Trace;
using memory::TraceEvent;

constexpr std::uint32_t kAbsent = 0xffffffff;

/// The blocks that are live after the first `count` events, by their numbers in the whole trace.
std::vector<memory::TraceAlive> aliveAfter(const Trace& trace, std::size_t count) {
    std::vector<memory::TraceAlive> state(trace.blocks.size(), {kAbsent, {}, -1});
    for (const memory::TraceAlive& each : trace.alive) {
        state[each.block] = each;
    }
    for (std::size_t i = 0; i < count; ++i) {
        const TraceEvent& event = trace.events[i];
        memory::TraceAlive& block = state[event.block];
        if (event.kind == TraceEvent::Kind::Allocate) {
            block = {event.block, event.category, event.layer};
        } else if (event.kind == TraceEvent::Kind::Retag) {
            block.category = event.category;
        } else {
            block.block = kAbsent;
        }
    }
    std::erase_if(state, [](const memory::TraceAlive& each) { return each.block == kAbsent; });
    return state;
}

/// The reserved memory and the failed allocations in [begin, end).
void cutMarks(const Trace& trace, std::size_t begin, std::size_t end, Trace& part) {
    for (const memory::TraceReserved& each : trace.reserved) {
        if (each.event <= begin) {
            part.reserved.assign(1, {0, each.bytes});
        } else if (each.event <= end) {
            part.reserved.push_back({each.event - begin, each.bytes});
        }
    }
    for (memory::TraceRefusal each : trace.refusals) {
        if (each.event >= begin && each.event <= end) {
            each.event -= begin;
            part.refusals.push_back(each);
        }
    }
}

}  // namespace

Trace cut(Trace trace, std::int64_t first, std::int64_t count) {
    const auto all = static_cast<std::int64_t>(trace.events.size());
    first = std::clamp<std::int64_t>(first, 0, all);
    count = std::clamp<std::int64_t>(count, 0, all - first);
    const auto begin = static_cast<std::size_t>(first), end = begin + static_cast<std::size_t>(count);
    Trace part;
    part.title = std::move(trace.title);
    part.timed = trace.timed;
    part.layers = std::move(trace.layers);
    part.labels = std::move(trace.labels);
    part.firstEvent = trace.firstEvent + first;
    part.allEvents = trace.allEvents;
    part.stacks = trace.stacks;
    cutMarks(trace, begin, end, part);

    std::vector<std::uint32_t> numbers(trace.blocks.size(), kAbsent);
    const auto keep = [&](std::uint32_t block) {
        if (numbers[block] == kAbsent) {
            numbers[block] = static_cast<std::uint32_t>(part.blocks.size());
            part.blocks.push_back(trace.blocks[block]);
            part.guessed.push_back(trace.isGuessed(block));
        }
        return numbers[block];
    };
    for (memory::TraceAlive each : aliveAfter(trace, begin)) {
        each.block = keep(each.block);
        part.alive.push_back(each);
    }
    part.events.reserve(static_cast<std::size_t>(count));
    for (std::size_t i = begin; i < end; ++i) {
        part.events.push_back(trace.events[i]);
        part.events.back().block = keep(trace.events[i].block);
    }
    for (const memory::TraceStep& step : trace.steps) {
        if (step.event >= begin && step.event < end) {
            part.steps.push_back({step.event - begin, step.index});
        }
    }
    return part;
}

}  // namespace highwater::capture
