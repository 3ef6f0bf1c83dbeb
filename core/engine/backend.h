#pragma once

#include "core/engine/device.h"
#include "core/stack/experiment.h"

namespace highwater::engine {

/// Sets what LibTorch and its libraries do by themselves (threads, oneDNN, cuDNN's switches, TF32, the
/// workspace limit) to what the experiment says, all of it each time: nothing stays from a run before. Before
/// any tensor of the run is made.
void configure(const stack::Experiment& experiment, const Device& device);

}  // namespace highwater::engine
