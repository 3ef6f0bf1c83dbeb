#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/units.h"
#include "core/memory/trace.h"
#include "core/wire/events.h"

namespace highwater::script {

/// An owner of memory at a trace's peak.
struct PeakOwner {
    std::string name;  ///< a module, or a line of the script: "train.py:57 forward"; empty: unknown
    base::Bytes bytes = 0;
    std::int64_t blocks = 0;
    bool operator==(const PeakOwner&) const = default;
};

struct PeakOwners {
    std::vector<PeakOwner> modules, lines;  ///< largest first
    std::string line, module;               ///< of the allocation that reaches the peak
    memory::Phase phase = memory::Phase::Setup;
    int step = 0;
};

/// Divides the blocks that are live at the peak by module and by line; at most `most` of each.
PeakOwners peakOwners(const memory::Trace& trace, const memory::TracePeak& peak, std::size_t most);

/// Memory over one step.
struct StepMemory {
    memory::Ledger peak;        ///< the ledger at its highest total
    wire::Millis peakTime = 0;  ///< since the step's start
    memory::Phase phase = memory::Phase::Setup;
    std::vector<wire::TimelinePoint> timeline;  ///< at most 400 points; times are the host's
    std::vector<wire::PhaseMark> marks;
};
/// Each step of a trace; a trace without steps is one.
std::vector<StepMemory> stepsOf(const memory::Trace& trace);

}  // namespace highwater::script
