#include "app/cli/target_options.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/predict/tables/contexts.h"

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
            return Error{fmt::format("{}: is for a GPU; name its profile with {}, such as rtx4090", option,
                                     options.option)};
        }
    }
    return predict::cpuTarget(experiment);
}

Result<predict::Target> gpuTarget(const TargetOptions& options, const stack::Experiment& experiment) {
    std::optional<memory::TorchVersion> libtorch;
    std::optional<predict::CudnnVersion> cudnn;
    if (!options.libtorch.empty()) {
        libtorch = HIGHWATER_TRY(base::prefixed("--libtorch", predict::parseTorchVersion(options.libtorch)));
    }
    if (!options.cudnn.empty()) {
        cudnn = HIGHWATER_TRY(base::prefixed("--cudnn", predict::parseCudnnVersion(options.cudnn)));
    }
    if (options.context == kProfilesContext) {
        HIGHWATER_TRY(base::prefixed("--context", predict::forgetContext(options.target)));
    }
    auto target = predict::gpuTarget(options.target, experiment, libtorch, cudnn, options.allocConf);
    const bool unknown = !target && !predict::loadProfile(options.target);
    return unknown ? Result<predict::Target>(Error{options.option + ": " + target.error().message}) : target;
}

/// Applies the value of `--context` to the target, and stores it if `keeps`. A failure to store it becomes a
/// note.
base::Status takeContext(const std::string& text, bool keeps, predict::Target& target) {
    const auto bytes = base::parseBytes(text);
    if (!bytes) {
        return Error{fmt::format("--context: {}; or \"{}\"", bytes.error().message, kProfilesContext)};
    }
    if (target.memory > 0 && *bytes >= target.memory) {
        return Error{fmt::format("--context: {} is all of the device's {}", base::formatBytes(*bytes),
                                 base::formatBytes(target.memory))};
    }
    predict::DeviceProfile& gpu = *target.gpu;
    gpu.context = predict::givenContext(*bytes);
    gpu.contextSource = predict::DeviceProfile::Source::Measured;
    gpu.contextKept = predict::DeviceProfile::Kept::Given;
    if (const auto kept = keeps ? predict::keepGivenContext(gpu.id, *bytes) : base::Status(); !kept) {
        target.notes.push_back("the context's size applies to this command only: " + kept.error().message);
    }
    return {};
}

/// 0 if the option is not given.
Result<base::Bytes> optionBytes(std::string_view option, const std::string& text) {
    if (text.empty()) {
        return base::Bytes{0};
    }
    return base::prefixed(option, base::parseBytes(text));
}

}  // namespace

void addTargetOptions(CLI::App& command, TargetOptions& options) {
    if (command.get_option_no_throw(options.option) == nullptr) {
        command.add_option(options.option, options.target,
                           "cpu (this machine, the default) or a GPU's profile: see `highwater-cli devices`");
    }
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
                    "The GPU's memory, such as 6GB, if the card differs from the profile")
        ->type_name("SIZE");
    command
        .add_option("--others", options.others,
                    "Device memory that other programs use, such as 800MiB (default: none)")
        ->type_name("SIZE");
    command.add_option("--context", options.context, std::string(kContextHelp))->type_name("SIZE");
}

Result<predict::Target> chosenTarget(const TargetOptions& options, const stack::Experiment& experiment) {
    auto target = HIGHWATER_TRY(options.target == "cpu" ? cpuTarget(options, experiment)
                                                        : gpuTarget(options, experiment));
    const auto memory = HIGHWATER_TRY(optionBytes("--memory", options.memory)),
               others = HIGHWATER_TRY(optionBytes("--others", options.others));
    if (memory > 0) {
        target.gpu->memory = target.memory = memory;
        target.gpu->memorySource = predict::DeviceProfile::Source::Datasheet;
    }
    target.others = others;
    if (target.memory > 0 && others >= target.memory) {
        return Error{fmt::format("--others: {} is all of the device's {}", base::formatBytes(others),
                                 base::formatBytes(target.memory))};
    }
    if (!options.context.empty() && options.context != kProfilesContext) {
        HIGHWATER_TRY(takeContext(options.context, options.keepsContext, target));
    }
    return target;
}

}  // namespace highwater::cli
