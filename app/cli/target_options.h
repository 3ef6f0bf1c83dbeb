#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "core/predict/predict.h"

namespace highwater::cli {

/// The value of --context that discards the given or measured size.
inline constexpr std::string_view kProfilesContext = "profile";
inline constexpr std::string_view kContextHelp =
    "Memory of the GPU's CUDA context, such as 520MiB: what nvidia-smi shows for a process, less what "
    "PyTorch reserves. It is kept for that GPU; \"profile\" clears it";

/// The options that select what to predict for: --target, --libtorch, --cudnn, --alloc-conf, --memory,
/// --others, --context.
struct TargetOptions {
    std::string option = "--target";  ///< the name of the option for `target`
    std::string target = "cpu", libtorch, cudnn, memory, others, context;
    std::optional<std::string> allocConf;
    bool keepsContext = true;  ///< false: --context applies to this command only
};
void addTargetOptions(CLI::App& command, TargetOptions& options);
/// The target selected by the options. The message of an Error names the option.
base::Result<predict::Target> chosenTarget(const TargetOptions& options, const stack::Experiment& experiment);

}  // namespace highwater::cli
