#pragma once

#include <string>
#include <vector>

#include "core/memory/trace.h"

namespace highwater::memory {

/// The next part of a trace that is being recorded: in order, blocks numbered from 0, those alive at the
/// start first, then in the order of allocation. (A block whose memory could not be had has a number and no
/// event.)
struct TraceChunk {
    std::vector<TraceAlive> alive;   ///< at the trace's start; in the first chunk alone
    std::vector<TraceBlock> blocks;  ///< new ones, numbered on from the last chunk's
    std::vector<TraceEvent> events;
    std::vector<TraceStep> steps;     ///< `event` is the number in the whole trace
    std::vector<std::string> labels;  ///< new ones, numbered on
    std::string note;                 ///< why the trace ends before its run; empty: it does not
    bool last = false;                ///< nothing comes after it

    bool empty() const {
        return alive.empty() && blocks.empty() && events.empty() && steps.empty() && labels.empty() &&
               note.empty();
    }
    void clear();  ///< keeps the vectors' memory
};

/// Adds the chunk to a trace that holds everything before it; the note is left out.
void append(Trace& trace, const TraceChunk& chunk);

}  // namespace highwater::memory
