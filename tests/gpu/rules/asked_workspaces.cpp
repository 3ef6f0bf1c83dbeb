#include "tests/gpu/rules/asked_workspaces.h"

#include <fstream>
#include <utility>

#include "core/ask/ask.h"
#include "core/cudnn/plans.h"
#include "core/predict/predict.h"
#include "core/predict/workspaces/unlisted.h"
#include "core/stack/shapes.h"

namespace highwater::gpu {

namespace {

constexpr const char* kDevice = "h200";
constexpr int kArchitecture = 90;

/// "OPERATION = BYTES" for a question: the workspace of the plan that runs, whether or not cuDNN lists it.
std::string tell(const std::string& question, const predict::AskedPlans& answer) {
    const std::size_t space = question.find(' ');
    const auto op = predict::parseConvKey(question.substr(0, space));
    const auto switches = predict::parseGpuSwitches(question.substr(space + 1));
    for (const predict::ConvPart part : predict::kConvParts) {
        if (op && switches && predict::hasPart(*op, part)) {
            const base::Bytes runs =
                predict::runningWorkspace(*op, part, switches->tf32, kArchitecture, answer.first);
            return cudnn::operationText({*op, *switches}, part) + " = " + std::to_string(runs) + "\n";
        }
    }
    return "";
}

}  // namespace

AskedWorkspaces::AskedWorkspaces(std::filesystem::path library, std::filesystem::path plans)
    : library_(std::move(library)), plans_(std::move(plans)) {}

base::Status AskedWorkspaces::learn(const stack::Experiment& experiment) {
    const auto info = stack::inferShapes(experiment);
    auto target = predict::gpuTarget(kDevice, experiment);
    if (!info || !target) {
        return info ? target.error() : info.error();
    }
    target->asked =
        std::make_shared<const predict::AskedTable>(target->asked->key());  // all questions are open
    target->gpuTable = nullptr;
    const auto prediction = predict::predict(experiment, *info, *target);
    if (!prediction) {
        return prediction.error();
    }
    const std::vector<std::string> questions = ask::openQuestions(*prediction);
    ask::Request request;
    request.library = library_;
    request.key = target->asked->key();
    for (const std::string& question : questions) {
        if (!table_ || table_->find(question) == nullptr) {
            request.questions.push_back(question);
        }
    }
    const auto answers = ask::ask(request);
    if (!answers) {
        return answers.error();
    }
    auto joined = std::make_shared<predict::AskedTable>(answers->table);
    if (table_) {
        joined->join(*table_);
    }
    table_ = std::move(joined);
    // All of them are set again: a switch can change the answer for an operation, and the last one is used.
    std::ofstream file(plans_, std::ios::app);
    for (const std::string& question : questions) {
        const auto* const answer = table_->find(question);
        if (answer != nullptr && *answer) {
            file << tell(question, **answer);
        }
    }
    return answers->open.empty() ? base::Status() : base::Error{answers->open};
}

}  // namespace highwater::gpu
