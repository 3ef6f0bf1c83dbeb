// cuDNN's answers, without a GPU, about the convolutions of a file of the validation kit; predictions from
// these answers alone are then compared with the GPU's actual needs: docs/make-gpu-accuracy.
#include <fmt/format.h>

#include <iostream>
#include <set>
#include <string>
#include <vector>

#include "core/ask/ask.h"
#include "core/base/file.h"
#include "core/predict/predict.h"
#include "tests/gpu/comparison.h"
#include "tests/gpu/tables/tables.h"

namespace highwater::reference {
namespace {

namespace fs = std::filesystem;

int complain(const std::string& what) {
    std::cerr << "asked_reference: " << what << '\n';
    return 2;
}

/// The convolutions of the experiments, of the steps of the ladders, and those measured individually.
base::Result<std::set<std::string>> questionsOf(const Source& source) {
    const auto predictions = predictUnanswered(source.file);
    if (!predictions) {
        return predictions.error();
    }
    std::set<std::string> questions;
    for (const predict::Prediction& prediction : *predictions) {
        for (std::string& question : ask::openQuestions(prediction)) {
            questions.insert(std::move(question));
        }
    }
    for (const MeasuredConvolution& each : source.convolutions) {
        for (const predict::ConvPart part : predict::kConvParts) {
            if (predict::hasPart(each.op.op, part)) {
                questions.insert(predict::questionName(each.op, part));
            }
        }
    }
    return questions;
}

/// Prints where a workspace measured without `benchmark` is not that of the plan that cuDNN lists first.
void printDifferences(const Source& source, const predict::AskedTable& answers) {
    std::size_t equal = 0, parts = 0, timed = 0, among = 0;
    for (const MeasuredConvolution& each : source.convolutions) {
        const std::optional<base::Bytes> measured[] = {each.row.forward, each.row.inputGradient,
                                                       each.row.weightGradient};
        for (const predict::ConvPart part : predict::kConvParts) {
            const auto bytes = measured[static_cast<std::size_t>(part)];
            const auto* const answer = answers.find(predict::questionName(each.op, part));
            if (!bytes || answer == nullptr || !*answer) {
                continue;
            }
            const predict::AskedPlans& plans = **answer;
            if (each.op.switches.benchmark) {
                ++timed;
                among += plans.timedLeast <= *bytes && *bytes <= plans.timedMost;
                continue;
            }
            ++parts;
            equal += plans.first == *bytes;
            if (plans.first != *bytes) {
                fmt::print("{}: measured {}, the first plan {}, all {} to {}\n",
                           predict::partName(each.op, part), *bytes, plans.first, plans.least, plans.most);
            }
        }
    }
    fmt::print(
        "without benchmark the first plan's workspace in {} of {} parts; with benchmark {} of {} are "
        "among those that are timed\n",
        equal, parts, among, timed);
}

int make(const fs::path& reference, const fs::path& library, const fs::path& folder) {
    const auto text = base::readFile(reference);
    const auto profiles = predict::loadProfiles();
    if (!text || !profiles) {
        return complain(text ? profiles.error().message : text.error().message);
    }
    const auto source = sourceOf(*text, reference.filename().string(), *profiles);
    if (!source) {
        return complain(source.error().message);
    }
    const auto questions = questionsOf(*source);
    if (!questions) {
        return complain(questions.error().message);
    }
    const auto profile = predict::loadProfile(source->key.device);
    ask::Request request;
    request.library = library;
    request.key = predict::askedKey(*profile, *predict::parseCudnnVersion(source->key.cudnn));
    request.questions.assign(questions->begin(), questions->end());
    const auto answers = ask::ask(request);
    if (!answers) {
        return complain(answers.error().message);
    }
    fmt::print("{} of {} questions answered{}{}\n", answers->table.size(), request.questions.size(),
               answers->open.empty() ? "" : "; ", answers->open);
    printDifferences(*source, answers->table);
    fs::create_directories(folder);
    const auto written = base::writeFileAtomically(folder / predict::askedFileName(request.key),
                                                   predict::writeAskedTable(answers->table));
    return written ? 0 : complain(written.error().message);
}

}  // namespace
}  // namespace highwater::reference

/// asked_reference REFERENCE FILE, FOLDER OF libcudnn.so.9, FOLDER FOR THE TABLE
int main(int argc, char** argv) {
    if (argc != 4) {
        return highwater::reference::complain("REFERENCE_FILE LIBRARY_FOLDER TABLE_FOLDER");
    }
    return highwater::reference::make(argv[1], argv[2], argv[3]);
}
