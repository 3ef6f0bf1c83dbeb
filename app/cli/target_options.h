#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "core/predict/predict.h"

namespace highwater::cli {

/// The options that say what to predict for: --target, --libtorch, --cudnn, --alloc-conf, --memory,
/// --others, --context.
struct TargetOptions {
    std::string target = "cpu", libtorch, cudnn, memory, others, context;
    std::optional<std::string> allocConf;
};
void addTargetOptions(CLI::App& command, TargetOptions& options);
/// The target that the options name. The message of an Error names the option.
base::Result<predict::Target> chosenTarget(const TargetOptions& options, const stack::Experiment& experiment);

}  // namespace highwater::cli
