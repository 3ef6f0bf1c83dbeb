#pragma once

#include "core/predict/target/target.h"

namespace highwater::predict {

/// cuDNN's workspace for one part of a convolution where nothing is known but the rule (cudnnWorkspace() in
/// cuda/workspace.h): what it expects.
struct RuledWorkspace {
    base::Bytes runs = 0;  ///< of the plan that runs
    base::Bytes most = 0;  ///< of the largest plan, which `benchmark` makes its block for
};
RuledWorkspace ruledWorkspace(const GpuConvolution& convolution, ConvPart part, const CudaVersions& versions);

/// Of the plan that cuDNN takes on the device, where the first plan that it lists without one needs `listed`
/// bytes and another is known to run (cuda/unlisted.h); else std::nullopt.
std::optional<base::Bytes> workspaceOnDevice(const GpuConvolution& convolution, ConvPart part,
                                             int architecture, base::Bytes listed);

}  // namespace highwater::predict
