#include "app/cli/ask_cudnn.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "app/cli/interrupt.h"
#include "core/ask/find_cudnn.h"

namespace highwater::cli {

void addCudnnOption(CLI::App& command, std::string& library) {
    command
        .add_option(
            "--cudnn-library", library,
            "Path of libcudnn.so.9, which is asked about workspaces (default: python3's); off: do not ask")
        ->type_name("FOLDER");
}

CudnnQuestions::CudnnQuestions(const std::string& given) {
    const auto library = given.empty()    ? ask::findCudnn()
                         : given == "off" ? std::nullopt
                                          : std::optional<std::filesystem::path>(given);
    if (!library) {
        return;
    }
    catchInterrupts();
    ask::Asking asking;
    asking.library = *library;
    asking.cancel = &interruptFlag();
    asking.progress = [this](std::size_t done, std::size_t of) {
        status_.show(fmt::format("asking cuDNN: {} of {} workspaces", done, of));
    };
    learner_.emplace(std::move(asking));
}

bool CudnnQuestions::ask(const predict::Prediction& prediction, predict::Target& target) {
    const bool taught = learner_ && learner_->teach(prediction, target);
    status_.clear();
    return taught;
}

std::string CudnnQuestions::why() const {
    return learner_ ? learner_->why() : std::string();
}

void askCudnn(const std::string& library, const stack::Experiment& experiment, const stack::StackInfo& info,
              predict::Target& target, predict::Prediction& prediction) {
    if (!target.asked || ask::openQuestions(prediction).empty()) {
        return;
    }
    CudnnQuestions questions(library);
    while (questions.ask(prediction, target)) {
        auto better = predict::predict(experiment, info, target, {.inPython = true});
        if (!better) {
            break;
        }
        prediction = std::move(*better);
    }
    if (const std::string why = questions.why(); !why.empty()) {
        prediction.guesses.push_back(why);
    }
}

}  // namespace highwater::cli
