#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/engine/device/device.h"
#include "core/stack/experiment.h"

namespace highwater::engine {

/// The settings of the GPU's allocator that a run gets: the experiment's; where it has none, those of the
/// environment (PYTORCH_ALLOC_CONF, PYTORCH_CUDA_ALLOC_CONF).
std::string allocatorSettings(const stack::Experiment& experiment);

/// Sets what LibTorch and its libraries do by themselves (threads, oneDNN, cuDNN's switches, TF32, the
/// workspace limit, the GPU allocator's settings) to what the experiment says, all of it each time: nothing
/// stays from a run before. Before any tensor of the run is made, on the thread that trains. Gives what the
/// user should know of; the error names the field.
///
/// deterministic: operators that have no deterministic version on a GPU run all the same; each is named on
/// stderr once.
/// workspace_limit: CUDNN_CONV_WSCAP_DBG, in whole MiB, rounded down; cuDNN reads it when it chooses how to
/// run a convolution. LibTorch keeps that choice, so in a process that ran before, another limit reaches only
/// convolutions that are new to it.
/// alloc_conf: holds for memory that is reserved from then on; what a run before left is given back with
/// releaseCached. max_non_split_rounding_mb and the sizes of pinned memory cannot be taken back.
base::Result<std::vector<std::string>> configure(const stack::Experiment& experiment, const Device& device);

}  // namespace highwater::engine
