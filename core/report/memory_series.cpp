#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/report/axes.h"
#include "core/report/charts.h"

namespace highwater::report {
namespace {

std::string whereText(const Facts& facts, wire::Phase phase, int layer) {
    const std::string name = facts.layerName(layer);
    return name.empty() ? std::string(wire::phaseKey(phase))
                        : fmt::format("{}, {}", wire::phaseKey(phase), name);
}

/// Joins neighboring marks of the same phase to one span.
std::vector<PhaseSpan> spansOf(const std::vector<wire::PhaseMark>& marks, double end) {
    std::vector<PhaseSpan> spans;
    for (const wire::PhaseMark& mark : marks) {
        if (!spans.empty() && spans.back().phase == mark.phase) {
            continue;
        }
        if (!spans.empty()) {
            spans.back().to = mark.time;
        }
        spans.push_back({mark.time, end, mark.phase});
    }
    return spans;
}

}  // namespace

StackedMemory stepMemory(const Facts& facts) {
    StackedMemory memory;
    memory.budget = facts.budget;
    if (!facts.shown) {
        return memory;
    }
    const wire::StepDone& step = *facts.shown;
    for (const wire::TimelinePoint& point : step.timeline) {
        memory.ledgers.push_back({point.time, point.ledger});
    }
    memory.end = std::max(usableTime(step.total), memory.ledgers.back().from);
    memory.phases = spansOf(step.marks, memory.end);
    const base::Bytes peak = step.peak.ledger.total();
    memory.peak = Peak{step.peak.time, peak, "peak " + base::formatBytes(peak)};
    memory.title = fmt::format("Memory within {}, by category: {} in {}", facts.stepName(step.index),
                               memory.peak->label, whereText(facts, step.peak.phase, step.peak.layer));
    return memory;
}

StackedMemory failureMemory(const Facts& facts) {
    StackedMemory memory;
    memory.budget = facts.budget;
    if (!facts.failure) {
        return memory;
    }
    std::vector<PhaseSpan> phases;
    double start = 0;
    for (const wire::LedgerSample* sample : facts.samples) {
        if (sample->step != facts.failure->step) {
            continue;
        }
        if (memory.ledgers.empty()) {
            start = sample->time;
        }
        const double at = sample->time - start;
        memory.ledgers.push_back({at, sample->ledger});
        if (phases.empty() || phases.back().phase != sample->phase) {
            phases.push_back({at, at, sample->phase});
        }
        phases.back().to = at;
    }
    if (memory.ledgers.empty()) {
        return memory;
    }
    memory.end = memory.ledgers.back().from * 1.02 + 0.01;
    memory.ledgers.push_back({memory.ledgers.back().from, facts.failure->ledger});
    for (std::size_t i = 0; i < phases.size(); ++i) {
        phases[i].to = i + 1 < phases.size() ? phases[i + 1].from : memory.end;
    }
    memory.phases = std::move(phases);
    if (facts.failure->requested > 0) {
        const base::Bytes wanted = facts.failure->ledger.total() + facts.failure->requested;
        memory.peak =
            Peak{memory.end, wanted, "refused " + base::formatBytes(facts.failure->requested) + " here",
                 facts.failure->requested};
    }
    memory.title =
        fmt::format("Memory within {} until it failed, by category", facts.stepName(facts.failure->step));
    return memory;
}

StackedMemory peaksOverSteps(const Facts& facts) {
    StackedMemory memory;
    memory.title = "Peak of each step, by category";
    memory.width = kHalfWidth;
    memory.height = 260;
    memory.bySteps = true;
    memory.budget = facts.budget;
    memory.warmup = facts.warmupSteps();
    const wire::StepDone* highest = nullptr;
    for (const wire::StepDone* step : facts.steps) {
        memory.ledgers.push_back({step->index + 0.5, step->peak.ledger});
        if (!highest || step->peak.ledger.total() > highest->peak.ledger.total()) {
            highest = step;
        }
    }
    if (highest) {
        memory.end = facts.steps.back()->index + 1.5;
        const base::Bytes peak = highest->peak.ledger.total();
        memory.peak = Peak{highest->index + 1.0, peak, base::formatBytes(peak)};
    }
    return memory;
}

}  // namespace highwater::report
