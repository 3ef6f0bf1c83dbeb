#pragma once

#include "core/stack/experiment.h"

namespace highwater::bench {

/// The duration of a step: wall-clock time, and processor time of the process (which other programs disturb
/// less).
struct Cost {
    double wallMs = 0, cpuMs = 0;
};

/// The current time; subtract two of them.
Cost now();
Cost since(const Cost& start);

/// Steps on request: each byte from `in` runs one step, whose cost is written to `out`. Ends when `in` is
/// closed.
struct Channel {
    int in = -1, out = -1;
    bool awaitGo() const;
    void report(const Cost& cost) const;
};

/// The step as a plain LibTorch loop: its own allocator, no hooks, no clocks within.
void serveBare(const stack::Experiment& experiment, const Channel& channel);
/// The step as highwater-engine runs it: ledger, layers, timelines, events written to a run's folder and as
/// lines, with or without the trace of every allocation. A step's time includes the work that follows the
/// previous step.
void serveEngine(const stack::Experiment& experiment, const Channel& channel);
void serveTracedEngine(const stack::Experiment& experiment, const Channel& channel);

}  // namespace highwater::bench
