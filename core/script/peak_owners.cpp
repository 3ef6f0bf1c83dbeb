#include "core/script/peak_owners.h"

#include <algorithm>
#include <map>

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

std::vector<base::Bytes> stepPeaks(const Trace& trace) {
    std::vector<base::Bytes> peaks(std::max<std::size_t>(1, trace.steps.size()), 0);
    base::Bytes total = trace.before().total();
    std::size_t step = 0;
    for (std::size_t i = 0; i < trace.events.size(); ++i) {
        while (step + 1 < trace.steps.size() && trace.steps[step + 1].event <= i) {
            peaks[++step] = total;
        }
        const TraceEvent& event = trace.events[i];
        const base::Bytes bytes = trace.blocks[event.block].bytes;
        total += event.kind == TraceEvent::Kind::Allocate ? bytes
                 : event.kind == TraceEvent::Kind::Free   ? -bytes
                                                          : 0;
        peaks[step] = std::max(peaks[step], total);
    }
    return peaks;
}

}  // namespace highwater::script
