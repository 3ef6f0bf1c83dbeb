#pragma once

#include <optional>
#include <string>

#include "core/memory/trace.h"
#include "core/predict/predict.h"
#include "core/stack/experiment.h"

/// Compares the predictor's walk of a GPU with the requests of LibTorch's own code to its CUDA allocator,
/// allocation by allocation. On the pretended device (core/pretend) no kernel runs and cuDNN's workspaces are
/// empty, so everything except them is compared.
namespace highwater::gpu {

struct Walks {
    memory::Trace measured, predicted;
    base::Bytes measuredPeak = 0, predictedPeak = 0;  ///< of the tensors
    base::Bytes measuredReserved = 0,
                predictedReserved = 0;  ///< the allocator's peak; predicted: the expected value
    predict::Target target;             ///< that was predicted for
};

/// Two steps of the experiment on "cuda:0", and the walk for the same device without workspaces, or with
/// those of `asked`, which must have been passed to the pretended device (asked_workspaces.h). Errors: why it
/// cannot be run or predicted, one line.
base::Result<Walks> walkBoth(const stack::Experiment& experiment,
                             std::shared_ptr<const predict::AskedTable> asked = nullptr);

/// Where the two first differ, with some events around it, in several lines; empty if they do not.
std::optional<std::string> difference(const Walks& walks);

/// A random experiment with random levers of a GPU: every layer kind that the engine supports, precisions,
/// channels_last, cuDNN's switches, micro-batches. `ownKernels`: layers with our own kernels will be
/// inserted, whose parameters are fp32, so no experiment has 2 bytes per element throughout. `views`: see
/// stack::testing::RandomLimits, whose `reduced` layers are left out.
stack::Experiment randomGpuExperiment(int seed, bool ownKernels = false, bool views = true);

}  // namespace highwater::gpu
