#include "app/cli/target_options.h"

#include <fmt/format.h>

namespace highwater::cli {
namespace {

using base::Error;
using base::Result;

Result<predict::Target> cpuTarget(const TargetOptions& options, const stack::Experiment& experiment) {
    for (const auto& [option, given] :
         {std::pair("--libtorch", !options.libtorch.empty()), std::pair("--cudnn", !options.cudnn.empty()),
          std::pair("--alloc-conf", options.allocConf.has_value())}) {
        if (given) {
            return Error{
                fmt::format("{}: is for a GPU; name its profile with --target, such as rtx4090", option)};
        }
    }
    return predict::cpuTarget(experiment);
}

Result<predict::Target> gpuTarget(const TargetOptions& options, const stack::Experiment& experiment) {
    std::optional<memory::TorchVersion> libtorch;
    std::optional<predict::CudnnVersion> cudnn;
    if (!options.libtorch.empty()) {
        const auto version = predict::parseTorchVersion(options.libtorch);
        if (!version) {
            return Error{"--libtorch: " + version.error().message};
        }
        libtorch = *version;
    }
    if (!options.cudnn.empty()) {
        const auto version = predict::parseCudnnVersion(options.cudnn);
        if (!version) {
            return Error{"--cudnn: " + version.error().message};
        }
        cudnn = *version;
    }
    auto target = predict::gpuTarget(options.target, experiment, libtorch, cudnn, options.allocConf);
    const bool unknown = !target && !predict::loadProfile(options.target);
    return unknown ? Result<predict::Target>(Error{"--target: " + target.error().message}) : target;
}

}  // namespace

void addTargetOptions(CLI::App& command, TargetOptions& options) {
    command.add_option("--target", options.target,
                       "cpu (this machine, the default) or a GPU's profile: see `highwater-cli devices`");
    command.add_option("--libtorch", options.libtorch, "The GPU's LibTorch, such as 2.4")
        ->type_name("VERSION");
    command.add_option("--cudnn", options.cudnn, "Its cuDNN, such as 9.10 (default: that LibTorch's)")
        ->type_name("VERSION");
    command
        .add_option("--alloc-conf", options.allocConf,
                    "PYTORCH_CUDA_ALLOC_CONF, such as expandable_segments:True (default: the experiment's)")
        ->type_name("CONF");
}

Result<predict::Target> chosenTarget(const TargetOptions& options, const stack::Experiment& experiment) {
    return options.target == "cpu" ? cpuTarget(options, experiment) : gpuTarget(options, experiment);
}

}  // namespace highwater::cli
