#include <fmt/format.h>

#include "core/predict/predict.h"

namespace highwater::predict {

CudaSettings cudaSettings(const stack::Experiment& experiment) {
    const stack::Backend& backend = experiment.backend;
    CudaSettings settings;
    settings.precision = experiment.step.precision;
    settings.channelsLast = experiment.step.channelsLast;
    settings.cudnn = backend.cudnn;
    settings.benchmark = backend.benchmark;
    settings.deterministic = backend.deterministic;
    settings.tf32 = backend.tf32 || settings.precision == stack::Precision::Tf32;
    settings.workspaceLimit = backend.workspaceLimit;
    return settings;
}

base::Result<Target> gpuTarget(std::string_view id, const stack::Experiment& experiment,
                               std::optional<memory::TorchVersion> libtorch,
                               std::optional<CudnnVersion> cudnn, std::optional<std::string> allocConf) {
    auto profile = loadProfile(id);
    if (!profile)
        return profile.error();
    Target target;
    target.id = profile->id;
    target.versions.libtorch = libtorch.value_or(kDefaultTorch);
    target.versions.cudnn = cudnn.value_or(bundledCudnn(target.versions.libtorch));
    target.versions.architecture = profile->architecture;
    target.settings = cudaSettings(experiment);
    auto allocator = memory::parseAllocatorConfig(allocConf.value_or(experiment.backend.allocConf),
                                                  target.versions.libtorch);
    if (!allocator)
        return base::Error{fmt::format("alloc_conf: {}", allocator.error().message)};
    target.allocator = *allocator;
    target.memory = profile->memory;
    target.gpu = std::move(*profile);
    return target;
}

}  // namespace highwater::predict
