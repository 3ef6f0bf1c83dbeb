#pragma once

#include <algorithm>
#include <random>
#include <vector>

#include "core/memory/trace_chunk.h"

namespace highwater::test {

/// The trace as passed on by an engine, in chunks of about `most` events.
inline std::vector<memory::TraceChunk> inChunks(const memory::Trace& trace, std::size_t most,
                                                std::uint64_t seed = 1) {
    std::mt19937_64 random(seed);
    std::vector<memory::TraceChunk> chunks(1);
    chunks[0].alive = trace.alive;
    chunks[0].labels = trace.labels;
    std::size_t blocks = trace.alive.size(), steps = 0;
    chunks[0].blocks.assign(trace.blocks.begin(), trace.blocks.begin() + static_cast<std::ptrdiff_t>(blocks));
    for (std::size_t at = 0; at < trace.events.size();) {
        memory::TraceChunk& chunk = chunks.back();
        const std::size_t end = std::min(trace.events.size(), at + 1 + random() % most);
        for (; at < end; ++at) {
            chunk.events.push_back(trace.events[at]);
            for (; blocks <= trace.events[at].block; ++blocks) {
                chunk.blocks.push_back(trace.blocks[blocks]);
            }
        }
        for (; steps < trace.steps.size() && trace.steps[steps].event < end; ++steps) {
            chunk.steps.push_back(trace.steps[steps]);
        }
        chunks.emplace_back();
    }
    return chunks;
}

}  // namespace highwater::test
