#include "core/capture/snapshot_trace.h"

namespace highwater::capture {

namespace {

using memory::Category;
using memory::Phase;
using memory::TraceEvent;

Category byLife(Phase phase, bool outlives) {
    switch (phase) {
        case Phase::Data:
            return Category::Input;
        case Phase::Forward:
            return outlives ? Category::Activations : Category::Temporaries;
        case Phase::Backward:
            return outlives ? Category::Gradients : Category::Temporaries;
        case Phase::Optimizer:
            return outlives ? Category::OptimizerState : Category::Temporaries;
        case Phase::Setup:
        case Phase::Recompute:
            return Category::Activations;
    }
    return Category::Activations;
}

/// The pass that a phase belongs to: recomputation is part of the backward pass.
Phase pass(Phase phase) {
    return phase == Phase::Recompute ? Phase::Backward : phase;
}

}  // namespace

void guessCategories(memory::Trace& trace, std::vector<std::optional<Category>> known) {
    trace.guessed.assign(known.size(), false);
    for (std::size_t i = 0; i < known.size(); ++i) {
        trace.guessed[i] = !known[i];
    }
    struct Birth {
        std::uint32_t pass = 0;
        Phase phase = Phase::Setup;
    };
    std::vector<Birth> births(trace.blocks.size());
    std::vector<bool> before(trace.blocks.size());
    for (const memory::TraceAlive& each : trace.alive) {
        before[each.block] = true;
    }
    std::uint32_t passes = 0;
    for (std::size_t i = 0; i < trace.events.size(); ++i) {
        const TraceEvent& event = trace.events[i];
        if (i > 0 && pass(event.phase) != pass(trace.events[i - 1].phase)) {
            ++passes;
        }
        const Birth& birth = births[event.block];
        if (event.kind == TraceEvent::Kind::Allocate) {
            births[event.block] = {passes, event.phase};
        } else if (event.kind == TraceEvent::Kind::Free && !known[event.block]) {
            known[event.block] =
                before[event.block] ? Category::Activations : byLife(birth.phase, passes != birth.pass);
        }
    }
    const auto category = [&](std::uint32_t block) {
        return known[block].value_or(before[block] ? Category::Parameters
                                                   : byLife(births[block].phase, true));
    };
    for (memory::TraceAlive& each : trace.alive) {
        each.category = category(each.block);
    }
    for (TraceEvent& event : trace.events) {
        event.category = category(event.block);
    }
}

}  // namespace highwater::capture
