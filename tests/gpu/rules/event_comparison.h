#pragma once

#include <optional>
#include <string>

#include "core/memory/trace.h"
#include "core/predict/predict.h"
#include "core/stack/experiment.h"

/// The predictor's walk of a GPU against what LibTorch's own code asks of its CUDA allocator, allocation by
/// allocation. On the pretended device (core/pretend) no kernel runs and cuDNN's workspaces are none, so
/// everything is compared but them.
namespace highwater::gpu {

struct Walks {
    memory::Trace measured, predicted;
    base::Bytes measuredPeak = 0, predictedPeak = 0;          ///< of the tensors
    base::Bytes measuredReserved = 0, predictedReserved = 0;  ///< the allocator's peak; predicted: expected
    predict::Target target;                                   ///< that was predicted for
};

/// Two steps of the experiment on "cuda:0", and the walk for the same device without workspaces, or with
/// those of `asked`, which the pretended device must have been told (asked_workspaces.h). Errors: why it
/// cannot be run or predicted, one line.
base::Result<Walks> walkBoth(const stack::Experiment& experiment,
                             std::shared_ptr<const predict::AskedTable> asked = nullptr);

/// Where the two first differ, with some events around, over several lines; nothing where they do not.
std::optional<std::string> difference(const Walks& walks);

/// A random experiment with random levers of a GPU: every layer kind that the engine supports, precisions,
/// channels_last, cuDNN's switches, micro-batches. `ownKernels`: layers with kernels of our own will be put
/// in, whose parameters are fp32, so none is of 2 bytes an element throughout. `views`: see
/// stack::testing::RandomLimits.
stack::Experiment randomGpuExperiment(int seed, bool ownKernels = false, bool views = true);

}  // namespace highwater::gpu
