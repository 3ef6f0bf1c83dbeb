#include "core/script/peak_owners.h"

#include <algorithm>
#include <map>

#include "core/wire/timeline.h"

namespace highwater::script {
namespace {

using memory::Trace;
using memory::TraceEvent;

std::string nameIn(const std::vector<std::string>& names, std::int64_t index) {
    return index >= 0 && static_cast<std::size_t>(index) < names.size()
               ? names[static_cast<std::size_t>(index)]
               : std::string();
}

std::vector<PeakOwner> largest(std::map<std::string, PeakOwner> owners, std::size_t most) {
    std::vector<PeakOwner> sorted;
    for (auto& [name, owner] : owners) {
        owner.name = name;
        sorted.push_back(std::move(owner));
    }
    std::ranges::stable_sort(sorted, std::greater(), &PeakOwner::bytes);
    sorted.resize(std::min(sorted.size(), most));
    return sorted;
}

}  // namespace

PeakOwners peakOwners(const Trace& trace, const memory::TracePeak& peak, std::size_t most) {
    std::vector<std::int16_t> layerOf(trace.blocks.size(), -1);
    std::vector<bool> alive(trace.blocks.size(), false);
    for (const memory::TraceAlive& each : trace.alive) {
        alive[each.block] = true;
        layerOf[each.block] = each.layer;
    }
    for (std::ptrdiff_t i = 0; i <= peak.event; ++i) {
        const TraceEvent& event = trace.events[static_cast<std::size_t>(i)];
        if (event.kind == TraceEvent::Kind::Allocate) {
            alive[event.block] = true;
            layerOf[event.block] = event.layer;
        } else if (event.kind == TraceEvent::Kind::Free) {
            alive[event.block] = false;
        }
    }
    std::map<std::string, PeakOwner> modules, lines;
    for (std::size_t block = 0; block < trace.blocks.size(); ++block) {
        if (alive[block]) {
            for (PeakOwner* owner : {&modules[nameIn(trace.layers, layerOf[block])],
                                     &lines[nameIn(trace.labels, trace.blocks[block].label)]}) {
                owner->bytes += trace.blocks[block].bytes;
                ++owner->blocks;
            }
        }
    }
    PeakOwners found{largest(std::move(modules), most), largest(std::move(lines), most), "", "", {}, 0};
    if (peak.event >= 0) {
        const TraceEvent& event = trace.events[static_cast<std::size_t>(peak.event)];
        found.line = nameIn(trace.labels, trace.blocks[event.block].label);
        found.module = nameIn(trace.layers, event.layer);
        found.phase = event.phase;
        for (const memory::TraceStep& step : trace.steps) {
            found.step = static_cast<std::ptrdiff_t>(step.event) <= peak.event ? step.index : found.step;
        }
    }
    return found;
}

namespace {

/// wire::thin() by the order of the points. Where nothing is executed, most of a step's time passes before
/// its allocations.
std::vector<wire::TimelinePoint> thinnedInOrder(std::vector<wire::TimelinePoint> points, std::size_t most) {
    std::vector<wire::Millis> times;
    for (wire::TimelinePoint& point : points) {
        times.push_back(point.time);
        point.time = static_cast<wire::Millis>(times.size() - 1);
    }
    points = wire::thin(points, most);
    for (wire::TimelinePoint& point : points) {
        point.time = times[static_cast<std::size_t>(point.time)];
    }
    return points;
}

}  // namespace

std::vector<StepMemory> stepsOf(const Trace& trace) {
    constexpr std::size_t kTimelinePoints = 400;
    std::vector<StepMemory> steps;
    memory::Ledger ledger = trace.before();
    std::size_t next = 0;
    for (std::size_t i = 0; i < std::max<std::size_t>(1, trace.steps.size()); ++i) {
        const std::size_t end = i + 1 < trace.steps.size() ? trace.steps[i + 1].event : trace.events.size();
        const std::int64_t begin = next < trace.events.size() ? trace.events[next].time : 0;
        StepMemory step;
        step.peak = ledger;
        step.timeline.push_back({0, ledger});
        for (; next < end; ++next) {
            const TraceEvent& event = trace.events[next];
            const base::Bytes bytes = trace.blocks[event.block].bytes;
            const double time = trace.timed ? static_cast<double>(event.time - begin) / 1e6
                                            : static_cast<double>(event.time - begin);
            if (event.kind == TraceEvent::Kind::Retag) {
                continue;
            }
            ledger[event.category] += event.kind == TraceEvent::Kind::Allocate ? bytes : -bytes;
            step.timeline.push_back({time, ledger});
            if (step.marks.empty() || step.marks.back().phase != event.phase) {
                step.marks.push_back({time, event.phase, -1});
            }
            if (ledger.total() > step.peak.total()) {
                step.peak = ledger;
                step.phase = event.phase;
                step.peakTime = time;
            }
        }
        step.timeline = thinnedInOrder(std::move(step.timeline), kTimelinePoints);
        steps.push_back(std::move(step));
    }
    return steps;
}

}  // namespace highwater::script
