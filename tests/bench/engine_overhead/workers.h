#pragma once

#include "core/stack/experiment.h"

namespace highwater::bench {

/// What a step took: on the clock, and of the process's processor time (which other programs disturb less).
struct Cost {
    double wallMs = 0, cpuMs = 0;
};

/// Now; the difference of two is what lay between.
Cost now();
Cost since(const Cost& start);

/// Steps on request: each byte from `in` runs one step, whose cost goes to `out`. Ends with `in`.
struct Channel {
    int in = -1, out = -1;
    bool awaitGo() const;
    void report(const Cost& cost) const;
};

/// The step as a plain LibTorch loop: its own allocator, no hooks, no clocks within.
void serveBare(const stack::Experiment& experiment, const Channel& channel);
/// The step as highwater-engine runs it: ledger, layers, timelines, events written to a run's folder and as
/// lines, with the trace of every allocation or without. A step's time includes what follows the step before
/// it.
void serveEngine(const stack::Experiment& experiment, const Channel& channel);
void serveTracedEngine(const stack::Experiment& experiment, const Channel& channel);

}  // namespace highwater::bench
