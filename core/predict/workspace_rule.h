#pragma once

#include "core/predict/predict.h"

namespace highwater::predict {

/// cuDNN's workspace for one part of a convolution where nothing is known but the rule (cudnnWorkspace() in
/// cuda/workspace.h): what it expects.
struct RuledWorkspace {
    base::Bytes runs = 0;  ///< of the plan that runs
    base::Bytes most = 0;  ///< of the largest plan, which `benchmark` makes its block for
};
RuledWorkspace ruledWorkspace(const GpuConvolution& convolution, ConvPart part, const CudaVersions& versions);

}  // namespace highwater::predict
