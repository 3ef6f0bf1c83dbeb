#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/engine/device/device.h"
#include "core/stack/experiment.h"

namespace highwater::engine {

/// The GPU allocator's settings for a run: the experiment's alloc_conf; if that is empty, the environment's
/// PYTORCH_CUDA_ALLOC_CONF; if that is empty too, PYTORCH_ALLOC_CONF.
std::string allocatorSettings(const stack::Experiment& experiment);

/// Whether this machine can compute with that number of threads: at most 16 per processor. All threads
/// synchronize at the end of each operator, so a step with thousands of them practically never ends.
base::Status checkThreads(std::int64_t wanted);

/// Sets the global switches of LibTorch and its libraries (threads, oneDNN, cuDNN's switches, TF32, the
/// workspace limit, the GPU allocator's settings) according to the experiment. All are set each time, so no
/// setting of an earlier run remains in effect, with the exceptions below. Call it on the training thread
/// before creating any tensor of the run. Returns warnings for the user; the message of an Error names the
/// field.
///
/// deterministic: operators without a deterministic version on a GPU still run; each is named on stderr once.
/// workspace_limit: CUDNN_CONV_WSCAP_DBG, in whole MiB, rounded down. cuDNN reads it when it chooses a plan
/// for a convolution, and LibTorch caches that choice. So in a process that has run before, a different limit
/// applies only to new convolutions. alloc_conf: applies to memory that is reserved from then on; memory that
/// an earlier run left is freed with releaseCached. max_non_split_rounding_mb and the sizes of pinned memory
/// cannot be reset.
base::Result<std::vector<std::string>> configure(const stack::Experiment& experiment, const Device& device);

}  // namespace highwater::engine
