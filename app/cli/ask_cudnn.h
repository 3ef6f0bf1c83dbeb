#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "app/cli/output.h"
#include "core/ask/learner.h"

namespace highwater::cli {

/// --cudnn-library FOLDER|off.
void addCudnnOption(CLI::App& command, std::string& library);

/// The questions that one command asks cuDNN. The status line shows when it is being asked.
class CudnnQuestions {
public:
    /// `library` is the option's value. From then on, an interrupt stops the questions.
    explicit CudnnQuestions(const std::string& library);
    CudnnQuestions(const CudnnQuestions&) = delete;
    CudnnQuestions& operator=(const CudnnQuestions&) = delete;
    /// False if cuDNN is not to be asked.
    bool asks() const { return learner_.has_value(); }
    /// As ask::Learner::teach().
    bool ask(const predict::Prediction& prediction, predict::Target& target);
    /// Why questions are still open; empty if there are none, or if cuDNN is not asked.
    std::string why() const;

private:
    StatusLine status_;
    std::optional<ask::Learner> learner_;
};

/// Asks cuDNN about the workspaces that the prediction had to guess, and predicts again with its answers,
/// which are added to the target. `library` is the option's value. The prediction does not fail if cuDNN
/// cannot be asked: its guesses then include the reason.
void askCudnn(const std::string& library, const stack::Experiment& experiment, const stack::StackInfo& info,
              predict::Target& target, predict::Prediction& prediction);

}  // namespace highwater::cli
