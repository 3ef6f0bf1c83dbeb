#include "app/cli/target_options.h"

#include <fmt/format.h>

#include "core/base/text.h"

namespace highwater::cli {
namespace {

using base::Error;
using base::Result;

Result<predict::Target> cpuTarget(const TargetOptions& options, const stack::Experiment& experiment) {
    for (const auto& [option, given] :
         {std::pair("--libtorch", !options.libtorch.empty()), std::pair("--cudnn", !options.cudnn.empty()),
          std::pair("--alloc-conf", options.allocConf.has_value()),
          std::pair("--memory", !options.memory.empty()), std::pair("--context", !options.context.empty())}) {
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

/// 0 where the option is not given.
Result<base::Bytes> optionBytes(std::string_view option, const std::string& text) {
    if (text.empty()) {
        return base::Bytes{0};
    }
    auto bytes = base::parseBytes(text);
    return bytes ? bytes : Error{fmt::format("{}: {}", option, bytes.error().message)};
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
    command
        .add_option("--memory", options.memory,
                    "The GPU's memory, such as 6GB, where a card has other than the profile's")
        ->type_name("SIZE");
    command
        .add_option("--others", options.others,
                    "Memory of the device that other programs hold, such as 800MiB (default: none)")
        ->type_name("SIZE");
    command
        .add_option("--context", options.context,
                    "What the GPU's CUDA context takes, such as 520MiB: what nvidia-smi shows for a process, "
                    "less what PyTorch reserves (default: the profile's)")
        ->type_name("SIZE");
}

Result<predict::Target> chosenTarget(const TargetOptions& options, const stack::Experiment& experiment) {
    auto target = options.target == "cpu" ? cpuTarget(options, experiment) : gpuTarget(options, experiment);
    if (!target) {
        return target;
    }
    const auto memory = optionBytes("--memory", options.memory),
               others = optionBytes("--others", options.others),
               context = optionBytes("--context", options.context);
    for (const auto* const size : {&memory, &others, &context}) {
        if (!*size) {
            return size->error();
        }
    }
    if (*memory > 0) {
        target->gpu->memory = target->memory = *memory;
        target->gpu->memorySource = predict::DeviceProfile::Source::Datasheet;
    }
    target->others = *others;
    if (*context > 0) {
        target->gpu->context = predict::Estimate::of(*context);
        target->gpu->contextSource = predict::DeviceProfile::Source::Measured;
    }
    for (const auto& [option, size] : {std::pair("--others", *others), std::pair("--context", *context)}) {
        if (target->memory > 0 && size >= target->memory) {
            return Error{fmt::format("{}: {} is all of the device's {}", option, base::formatBytes(size),
                                     base::formatBytes(target->memory))};
        }
    }
    return target;
}

}  // namespace highwater::cli
