#pragma once

#include "core/predict/target/target.h"

namespace highwater::predict {

/// cuDNN's workspace for one part of a convolution if only the rule is known (cudnnWorkspace() in
/// workspaces/workspace.h): its expected value.
struct RuledWorkspace {
    base::Bytes runs = 0;  ///< of the plan that runs
    base::Bytes most = 0;  ///< of the largest plan, which determines the block of `benchmark`
};
RuledWorkspace ruledWorkspace(const GpuConvolution& convolution, ConvPart part, const CudaVersions& versions);

/// The workspace of the plan that cuDNN uses on the device, if the first plan listed without a device needs
/// `listed` bytes and another is known to run (workspaces/unlisted.h); otherwise std::nullopt.
std::optional<base::Bytes> workspaceOnDevice(const GpuConvolution& convolution, ConvPart part,
                                             int architecture, base::Bytes listed);

}  // namespace highwater::predict
