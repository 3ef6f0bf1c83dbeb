#pragma once

#include <memory>
#include <random>

#include "core/memory/trace.h"
#include "widgets/timeline/trace_index.h"

/// Small traces with everything that can occur: blocks from before the recording, retagging, equal times, no
/// layer.
namespace highwater::testing {

inline memory::Trace randomTrace(std::uint32_t seed, int events, bool timed = true) {
    using memory::TraceEvent;
    std::mt19937 random(seed);
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    memory::Trace trace;
    trace.title = "random";
    trace.timed = timed;
    trace.layers = {"1 conv", "enc2", "enc2 · 1 conv", "enc2 · 2 relu", "5 conv"};
    trace.labels = {"aten::empty", "train.py:12 step", "aten::conv3d"};
    struct Live {
        std::uint32_t block;
        memory::Category category;
    };
    std::vector<Live> live;
    const auto category = [&] { return memory::kCategories[static_cast<std::size_t>(below(7))]; };
    const auto newBlock = [&] {
        const base::Bytes bytes = below(4) == 0 ? below(300) * 1024 : below(3000);
        trace.blocks.push_back({bytes, (bytes + 511) / 512 * 512, below(4) - 1});
        return static_cast<std::uint32_t>(trace.blocks.size() - 1);
    };
    for (int i = below(6); i > 0; --i) {
        live.push_back({newBlock(), category()});
        trace.alive.push_back(
            {live.back().block, live.back().category, static_cast<std::int16_t>(below(6) - 1)});
    }
    std::int64_t time = 1000;
    for (int i = 0; i < events; ++i) {
        time = timed ? time + (below(3) == 0 ? 0 : below(50)) : i;
        TraceEvent event;
        event.time = time;
        event.layer = static_cast<std::int16_t>(below(6) - 1);
        event.phase = static_cast<memory::Phase>(below(memory::kPhaseCount));
        const int what = live.empty() ? 0 : below(9);
        if (what < 4) {
            live.push_back({newBlock(), category()});
            event.kind = TraceEvent::Kind::Allocate;
            event.block = live.back().block;
            event.category = live.back().category;
        } else {
            const auto at = static_cast<std::size_t>(below(static_cast<int>(live.size())));
            event.block = live[at].block;
            event.kind = what == 4 ? TraceEvent::Kind::Retag : TraceEvent::Kind::Free;
            if (what == 4) {
                live[at].category = category();
            }
            event.category = live[at].category;
            if (what > 4) {
                live.erase(live.begin() + static_cast<std::ptrdiff_t>(at));
            }
        }
        trace.events.push_back(event);
    }
    trace.allEvents = events;
    for (int i = 0; i < events; i += 1 + events / 4) {
        trace.steps.push_back({static_cast<std::size_t>(i), static_cast<int>(trace.steps.size())});
    }
    return trace;
}

inline std::shared_ptr<const widgets::TraceIndex> indexOf(memory::Trace trace) {
    auto built = widgets::TraceIndex::build(std::make_shared<const memory::Trace>(std::move(trace)));
    return built ? *built : nullptr;
}

/// A block according to the events, found by a slow reference implementation.
struct NaiveBlock {
    std::uint32_t block;
    memory::Category category;
    std::int16_t layer;
    std::size_t begin;  ///< of this category
};
/// The blocks alive after the first `state` events, by begin.
inline std::vector<NaiveBlock> naiveAlive(const memory::Trace& trace, std::size_t state) {
    std::vector<NaiveBlock> alive;
    for (const auto& each : trace.alive) {
        alive.push_back({each.block, each.category, each.layer, 0});
    }
    for (std::size_t i = 0; i < state; ++i) {
        const memory::TraceEvent& event = trace.events[i];
        NaiveBlock block{event.block, event.category, event.layer, i + 1};
        if (event.kind != memory::TraceEvent::Kind::Allocate) {
            const auto at = std::find_if(alive.begin(), alive.end(),
                                         [&](const NaiveBlock& b) { return b.block == event.block; });
            block.layer = at->layer;
            alive.erase(at);
        }
        if (event.kind != memory::TraceEvent::Kind::Free) {
            alive.push_back(block);
        }
    }
    return alive;
}

}  // namespace highwater::testing
