#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "core/predict/predict.h"

namespace highwater::cli {

/// --cudnn-library FOLDER|off.
void addCudnnOption(CLI::App& command, std::string& library);

/// Asks cuDNN about the workspaces that the prediction had to guess, and predicts again with its answers,
/// which are added to the target. `library` is the option's value. A prediction does not fail because nobody
/// answers: it then says why among its guesses.
void askCudnn(const std::string& library, const stack::Experiment& experiment, const stack::StackInfo& info,
              predict::Target& target, predict::Prediction& prediction);

}  // namespace highwater::cli
