#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/stack/experiment.h"

namespace highwater::gpu {

struct NamedExperiment {
    std::string name;  ///< "unet-3d fp16 channels_last"
    stack::Experiment experiment;
};

/// The presets, and nnU-Net's 3d_fullres if `plans` exists, without cuDNN's benchmark, about which a
/// pretended device knows nothing: in fp32, fp16 and bf16, contiguous and channels_last; then in fp16 with
/// each of SGD with nesterov momentum and Adam, every block checkpointed or not. Errors: a preset or plans
/// file that cannot be read.
base::Result<std::vector<NamedExperiment>> standardExperiments(const std::string& plans);

}  // namespace highwater::gpu
