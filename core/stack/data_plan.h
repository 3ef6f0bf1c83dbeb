#pragma once

#include <cstddef>

#include "core/stack/experiment.h"
#include "core/stack/shapes.h"

/// What the data pipeline of a run allocates in addition to the batch. The engine allocates it before the
/// first step, and the predictor reports it. A shape without axes means: not allocated.
namespace highwater::stack {

struct DataPlan {
    /// Samples are made on the CPU, from scans or from random noise. False: noise is generated on the GPU.
    bool onHost = true;
    bool madeTarget = false;     ///< the target is made from each sample: a threshold or a label map
    bool classLabels = false;    ///< the target is int64, otherwise float (targetShape)
    bool targetIsInput = false;  ///< the loss compares the output with the input batch
    /// The target that the loss uses otherwise: one batch, int64 or float. No axes if the loss uses no
    /// target.
    Shape target;
    Shape noise;       ///< float: a batch of noise from which the workers take their samples
    Shape ringInput;   ///< float: data.workers * data.prefetch samples made in advance
    Shape ringTarget;  ///< their targets
    Shape scratch;     ///< float: one row per thread that augments
};

/// The shape of a target other than the input: N, spatial for classes, N, targetChannels, spatial for other
/// numbers; N and N, targetChannels if the stack's output has no spatial axes.
Shape targetShape(const StackInfo& info);

/// `info` is the result of inferShapes for the experiment; `cuda`: whether the run is on a GPU.
DataPlan dataPlan(const Experiment& experiment, const StackInfo& info, bool cuda);

/// Returns how many volumes the engine gets for each case: its channels, plus its label map if that is the
/// target. A scan is one case. 0 for synthetic input.
std::size_t volumesPerCase(const Experiment& experiment);

}  // namespace highwater::stack
