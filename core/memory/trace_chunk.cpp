#include "core/memory/trace_chunk.h"

namespace highwater::memory {

void TraceChunk::clear() {
    alive.clear();
    blocks.clear();
    events.clear();
    steps.clear();
    labels.clear();
    note.clear();
    last = false;
}

void append(Trace& trace, const TraceChunk& chunk) {
    const auto add = [](auto& all, const auto& more) { all.insert(all.end(), more.begin(), more.end()); };
    add(trace.alive, chunk.alive);
    add(trace.blocks, chunk.blocks);
    add(trace.events, chunk.events);
    add(trace.steps, chunk.steps);
    add(trace.labels, chunk.labels);
    trace.allEvents = static_cast<std::int64_t>(trace.events.size());
}

}  // namespace highwater::memory
