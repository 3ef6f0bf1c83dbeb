#pragma once

#include "core/base/result.h"
#include "core/stack/experiment.h"

/// The functions behind the toggles. Private to core/study. Each takes a valid experiment and returns another
/// valid one, or an Error in one line: why the toggle cannot be switched on.
namespace highwater::study {

using Switched = base::Result<stack::Experiment>;

/// The changed experiment if it is valid; otherwise an Error.
Switched ifValid(stack::Experiment changed);

// Layers.
Switched checkpointBlocks(const stack::Experiment& e);
Switched poolFirst(const stack::Experiment& e);
Switched separable(const stack::Experiment& e);
Switched fusedCustomConv(const stack::Experiment& e);
Switched inplaceActivations(const stack::Experiment& e);
Switched inplaceAbn(const stack::Experiment& e);

// Settings.
Switched checkpointSqrt(const stack::Experiment& e);
Switched oneDnnOff(const stack::Experiment& e);
Switched cudnnOff(const stack::Experiment& e);
Switched cudnnBenchmark(const stack::Experiment& e);
Switched deterministic(const stack::Experiment& e);
Switched tf32(const stack::Experiment& e);
Switched workers(const stack::Experiment& e);
Switched pinned(const stack::Experiment& e);
Switched windows(const stack::Experiment& e);
Switched microBatches(const stack::Experiment& e);
Switched bf16(const stack::Experiment& e);
Switched fp16(const stack::Experiment& e);
Switched channelsLast(const stack::Experiment& e);

}  // namespace highwater::study
