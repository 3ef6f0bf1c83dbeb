#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/memory/ledger.h"
#include "core/memory/phase.h"

/// Every allocation and free of a run, or a part of it, as a value: what a run's trace.db holds, what a
/// prediction walks through, what an imported capture becomes, and what the timeline shows.
namespace highwater::memory {

/// One thing that happened to one block of memory.
struct TraceEvent {
    enum class Kind : std::uint8_t {
        Allocate,  ///< `block` begins, in `category`
        Retag,     ///< `block` now counts to `category`
        Free       ///< `block` ends; `category` is the one it had
    };
    std::int64_t time = 0;    ///< nanoseconds since the trace's start; never decreasing. Without a clock
                              ///< (Trace::timed false): the event's number
    std::uint32_t block = 0;  ///< index into Trace::blocks
    std::int16_t layer = -1;  ///< index into Trace::layers at which the run stood, or -1
    Kind kind = Kind::Allocate;
    Category category = Category::Temporaries;
    Phase phase = Phase::Setup;  ///< in which the run stood
    bool operator==(const TraceEvent&) const = default;
};
static_assert(sizeof(TraceEvent) == 24);

/// One allocation. Each has a number of its own; addresses are used again, numbers are not.
struct TraceBlock {
    base::Bytes bytes = 0;     ///< asked of the allocator; 0 or more
    base::Bytes reserved = 0;  ///< what the allocator took for it (rounded); equals bytes where unknown
    std::int32_t label =
        -1;  ///< index into Trace::labels: the operator, or where in the user's code; -1: none
    bool operator==(const TraceBlock&) const = default;
};

/// Where a step begins.
struct TraceStep {
    std::size_t event = 0;  ///< index into Trace::events of the first that belongs to it
    int index = 0;          ///< 0-based, warm-up included
    bool operator==(const TraceStep&) const = default;
};

/// A block that lived already when the trace (or the range of it that was read) begins.
struct TraceAlive {
    std::uint32_t block = 0;
    Category category = Category::Temporaries;
    std::int16_t layer = -1;  ///< that allocated it, where known
    bool operator==(const TraceAlive&) const = default;
};

struct Trace {
    std::string title;                ///< "run 12, small 3d stack", "predicted for h100", "snapshot.pickle"
    bool timed = true;                ///< event times are nanoseconds
    std::vector<std::string> layers;  ///< names, as StackInfo's
    std::vector<std::string> labels;
    std::vector<TraceBlock> blocks;
    std::vector<TraceAlive> alive;   ///< at the start, ascending by block
    std::vector<TraceEvent> events;  ///< in order; each block at most once allocated and once freed
    std::vector<TraceStep> steps;    ///< ascending
    std::int64_t firstEvent = 0;     ///< the number of events[0] in the whole capture
    std::int64_t allEvents = 0;      ///< in the whole capture; events.size() where all of it is here

    /// The ledger at the start.
    Ledger before() const {
        Ledger ledger;
        for (const TraceAlive& each : alive) {
            ledger[each.category] += blocks[each.block].bytes;
        }
        return ledger;
    }
};

/// An error names the first event that makes no sense: a block out of range, allocated twice, freed or
/// retagged while it does not live, from another category than it has; times that decrease; a layer or label
/// out of range; negative bytes; totals beyond 2^62 bytes.
base::Status check(const Trace& trace);

/// The highest total and where: `event` is the index of the first event after which it holds (-1: the start).
/// The split is the one that the moment settles on: retags in the same layer and phase at this total count,
/// as in the run's own peak (an output becomes an activation only when its layer returns it). `trace` is one
/// that check() finds nothing wrong with.
struct TracePeak {
    std::ptrdiff_t event = -1;
    Ledger ledger;
};
TracePeak findPeak(const Trace& trace);

}  // namespace highwater::memory
