#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/memory/call_stacks.h"
#include "core/memory/ledger.h"
#include "core/memory/phase.h"

/// All allocations and frees of a run, or a part of them, as a value. It is stored in a run's trace.db, made
/// from a prediction or an imported capture, and shown by the timeline.
namespace highwater::memory {

/// One event of one block of memory.
struct TraceEvent {
    enum class Kind : std::uint8_t {
        Allocate,  ///< `block` is allocated, in `category`
        Retag,     ///< `block` changes its category to `category`
        Free       ///< `block` is freed; `category` is its last one
    };
    std::int64_t time = 0;    ///< nanoseconds since the trace's start, never decreasing. If Trace::timed is
                              ///< false: the event's number
    std::uint32_t block = 0;  ///< index into Trace::blocks
    std::int16_t layer = -1;  ///< index into Trace::layers of the layer being executed, or -1
    Kind kind = Kind::Allocate;
    Category category = Category::Temporaries;
    Phase phase = Phase::Setup;  ///< the phase of the run at this event
    bool operator==(const TraceEvent&) const = default;
};
static_assert(sizeof(TraceEvent) == 24);

/// One allocation. Each allocation has a unique number (its index); addresses are reused, numbers are not.
struct TraceBlock {
    base::Bytes bytes = 0;     ///< requested from the allocator; 0 or more
    base::Bytes reserved = 0;  ///< the block's rounded size; equals bytes if unknown
    /// Index into Trace::labels: the operator, or the location in the user's code; -1 if there is none.
    std::int32_t label = -1;
    std::int32_t stack = -1;  ///< index into Trace::stacks of the allocation's call stack; -1 if unknown
    bool operator==(const TraceBlock&) const = default;
};

/// The start of a step.
struct TraceStep {
    std::size_t event = 0;  ///< index into Trace::events of the step's first event
    int index = 0;          ///< 0-based; counts warm-up steps too
    bool operator==(const TraceStep&) const = default;
};

/// A block that was already allocated when the trace (or the part that was read) begins.
struct TraceAlive {
    std::uint32_t block = 0;
    Category category = Category::Temporaries;
    std::int16_t layer = -1;  ///< the layer that allocated it; -1 if unknown
    bool operator==(const TraceAlive&) const = default;
};

/// The allocator's reserved memory from an event of the trace on.
struct TraceReserved {
    std::size_t event = 0;  ///< number of events before it
    base::Bytes bytes = 0;
    bool operator==(const TraceReserved&) const = default;
};

/// A request that was refused: out of memory.
struct TraceRefusal {
    std::size_t event = 0;    ///< number of events before it
    std::int64_t time = 0;    ///< as TraceEvent::time
    base::Bytes asked = 0;    ///< the requested bytes
    base::Bytes free = -1;    ///< free memory on the device at that time; -1: unknown
    std::int32_t stack = -1;  ///< index into Trace::stacks; -1 if unknown
    bool operator==(const TraceRefusal&) const = default;
};

struct Trace {
    std::string title;                ///< "run 12, small 3d stack", "predicted for h100", "snapshot.pickle"
    bool timed = true;                ///< event times are nanoseconds; otherwise event numbers
    std::vector<std::string> layers;  ///< the layers' names, as in StackInfo
    std::vector<std::string> labels;
    std::vector<TraceBlock> blocks;
    std::vector<TraceAlive> alive;   ///< blocks live at the start, ascending by block
    std::vector<TraceEvent> events;  ///< in order; a block is allocated at most once and freed at most once
    std::vector<TraceStep> steps;    ///< ascending
    std::int64_t firstEvent = 0;     ///< the number of events[0] in the whole capture
    std::int64_t allEvents = 0;  ///< number of events in the whole capture; equals events.size() if nothing
                                 ///< was left out
    std::shared_ptr<const CallStacks> stacks;  ///< null if none are known
    std::vector<bool> guessed;                 ///< by block: its category is a guess; empty if no category is
    std::vector<TraceReserved> reserved;       ///< ascending by event, the first at 0; empty if unknown
    std::vector<TraceRefusal> refusals;        ///< ascending by event
    base::Bytes budget = 0;                    ///< memory limit of the run; 0: none
    int warmup = 0;                            ///< the first steps, which are not measured

    bool isGuessed(std::uint32_t block) const { return block < guessed.size() && guessed[block]; }
    /// The ledger at the start.
    Ledger before() const {
        Ledger ledger;
        for (const TraceAlive& each : alive) {
            ledger[each.category] += blocks[each.block].bytes;
        }
        return ledger;
    }
};

/// Error, naming the first invalid event, if a block is out of range, allocated twice, freed or retagged
/// while not live, or from a category that it does not have; if times decrease; if a layer, label or stack is
/// out of range; if bytes are negative; or if totals exceed 2^62 bytes.
base::Status check(const Trace& trace);

/// The highest total of a trace. `event` is the index of the first event after which it is reached (-1: at
/// the start). `ledger` includes later retags in the same layer and phase while the total stays the same, as
/// in the peak that the run itself reports: an output becomes an activation only when its layer returns it.
/// `trace` must be one that check() accepts.
struct TracePeak {
    std::ptrdiff_t event = -1;
    Ledger ledger;
};
TracePeak findPeak(const Trace& trace);

}  // namespace highwater::memory
