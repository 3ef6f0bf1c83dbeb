#pragma once

#include <string>
#include <vector>

#include "core/memory/trace.h"

namespace highwater::memory {

/// The next part of a trace that is being recorded. Blocks are numbered from 0: first those live at the
/// start, then in the order of allocation. (A block whose allocation failed has a number but no event.)
struct TraceChunk {
    std::vector<TraceAlive> alive;   ///< blocks live at the trace's start; only in the first chunk
    std::vector<TraceBlock> blocks;  ///< new blocks; their numbers continue those of the last chunk
    std::vector<TraceEvent> events;
    std::vector<TraceStep> steps;     ///< `event` is the event's number in the whole trace
    std::vector<std::string> labels;  ///< new labels; their numbers continue
    std::string note;                 ///< why the trace ends before its run; empty if it does not
    bool last = false;                ///< this is the last chunk

    bool empty() const {
        return alive.empty() && blocks.empty() && events.empty() && steps.empty() && labels.empty() &&
               note.empty();
    }
    void clear();  ///< keeps the vectors' capacity
};

/// Appends the chunk to a trace that contains everything before it. The note is not copied.
void append(Trace& trace, const TraceChunk& chunk);

}  // namespace highwater::memory
