#pragma once

#include <cstddef>

#include "core/stack/experiment.h"
#include "core/stack/shapes.h"

/// What the data pipeline of a run needs beside the batch, as the engine allocates it before the first step
/// and the predictor says. Shapes without axes are not allocated.
namespace highwater::stack {

struct DataPlan {
    /// Samples are made on the CPU, from scans or from noise drawn there. False: noise is drawn on the GPU.
    bool onHost = true;
    bool madeTarget = false;     ///< the target follows from each sample: a threshold or a label map
    bool classLabels = false;    ///< it is int64, N and spatial; otherwise float, N, 1 and spatial
    bool targetIsInput = false;  ///< the loss compares with the batch itself
    /// What the loss compares with otherwise: a batch of it, int64 or float; none where it compares nothing.
    Shape target;
    Shape noise;       ///< float: a batch of noise that workers take their samples' from
    Shape ringInput;   ///< float: data.workers * data.prefetch samples made ahead
    Shape ringTarget;  ///< their targets
    Shape scratch;     ///< float: one row for each thread that augments
};

/// `info` is inferShapes of the experiment; `cuda`: the run is on a GPU.
DataPlan dataPlan(const Experiment& experiment, const StackInfo& info, bool cuda);

/// How many volumes each case hands to the engine: its channels, then its label map where the target is one.
/// A scan is one case; 0 for synthetic input.
std::size_t volumesPerCase(const Experiment& experiment);

}  // namespace highwater::stack
