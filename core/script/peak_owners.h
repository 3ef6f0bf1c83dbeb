#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/units.h"
#include "core/memory/trace.h"

namespace highwater::script {

/// What holds memory at a trace's highest moment.
struct PeakOwner {
    std::string name;  ///< a module, or a line of the script: "train.py:57 forward"; empty: not known
    base::Bytes bytes = 0;
    std::int64_t blocks = 0;
    bool operator==(const PeakOwner&) const = default;
};

struct PeakOwners {
    std::vector<PeakOwner> modules, lines;  ///< the largest first
    std::string line, module;               ///< of the allocation that reaches the peak
    memory::Phase phase = memory::Phase::Setup;
    int step = 0;
};

/// Divides the blocks that are alive at the peak by module and by line; at most `most` of each.
PeakOwners peakOwners(const memory::Trace& trace, const memory::TracePeak& peak, std::size_t most);

/// The highest total of each step of a trace; one for a trace without steps.
std::vector<base::Bytes> stepPeaks(const memory::Trace& trace);

}  // namespace highwater::script
