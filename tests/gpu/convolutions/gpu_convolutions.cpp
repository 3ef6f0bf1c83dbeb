#include "tests/gpu/convolutions/gpu_convolutions.h"

#include "core/predict/ghost/walk.h"
#include "core/predict/workspaces/workspace.h"

namespace highwater::predict {

std::vector<GpuConvolution> gpuConvolutionsOf(const stack::Experiment& experiment,
                                              const stack::StackInfo& info, const Target& target) {
    std::vector<GpuConvolution> all;
    if (const auto walked = walk(experiment, info, target); walked && target.gpu) {
        for (const Walk::Convolution& each : walked->convolutions) {
            GpuSwitches switches = switchesOf(cudaSettings(experiment));
            switches.tf32 = switches.tf32 && each.key.dtype == DType::Float32;
            all.push_back({each.key, switches});
        }
    }
    return all;
}

}  // namespace highwater::predict
