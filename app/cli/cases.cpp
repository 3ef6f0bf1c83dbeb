#include "app/cli/cases.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/ask_cudnn.h"
#include "app/cli/commands.h"
#include "app/cli/interrupt.h"
#include "app/cli/output.h"
#include "core/base/processor.h"
#include "core/base/text.h"

namespace highwater::cli {
namespace {

struct CasesOptions {
    std::string plans, folder, gpu, hostMemory, others, library;
    stack::NnunetOptions network;
    int folds = 1;
    double step = 0.5;
    bool noMirroring = false, notOnDevice = false, probabilities = false, json = false;
};

/// Reads the size of an option; `fallback` if it is not given.
base::Result<base::Bytes> sizeOf(const char* option, const std::string& text, base::Bytes fallback) {
    if (text.empty()) {
        return fallback;
    }
    auto size = base::parseBytes(text);
    return size ? size : base::Error{fmt::format("{}: {}", option, size.error().message)};
}

base::Result<cases::CasesRequest> requestOf(const CasesOptions& options) {
    cases::CasesRequest request;
    auto plan = stack::readNnunetInference(options.plans, options.network);
    if (!plan) {
        return plan.error();
    }
    request.plan = std::move(*plan);
    auto target = predict::gpuTarget(options.gpu, request.plan.network.experiment);
    if (!target) {
        return base::Error{"--gpu: " + target.error().message};
    }
    request.target = std::move(*target);
    const auto host = sizeOf("--host-memory", options.hostMemory, base::machineMemory()),
               others = sizeOf("--others", options.others, 0);
    for (const auto* const size : {&host, &others}) {
        if (!*size) {
            return size->error();
        }
    }
    if (*others >= request.target.memory) {
        return base::Error{fmt::format("--others: {} is all of the device's {}", base::formatBytes(*others),
                                       base::formatBytes(request.target.memory))};
    }
    request.target.others = *others;
    request.host = *host;
    request.folds = options.folds;
    request.step = options.step;
    request.mirror = !options.noMirroring;
    request.onDevice = !options.notOnDevice;
    request.probabilities = options.probabilities;
    return request;
}

int run(const CasesOptions& options) {
    auto request = requestOf(options);
    if (!request) {
        return complain(request.error().message);
    }
    catchInterrupts();
    CudnnQuestions questions(options.library);
    cases::learnWorkspaces(*request, [&](const predict::Prediction& prediction, predict::Target& target) {
        return questions.ask(prediction, target);
    });
    StatusLine line;
    auto answer = cases::casesOf(*request, options.folder,
                                 {[&](std::size_t done, std::size_t all, const std::string& last) {
                                      line.show(fmt::format("{} of {}: {}", done, all, last));
                                  },
                                  &interruptFlag()});
    line.clear();
    if (interrupts() > 0) {
        return complain("interrupted", kInterrupted);
    }
    if (!answer) {
        return complain(answer.error().message);
    }
    if (const std::string why = questions.why(); !why.empty()) {
        answer->notes.push_back(why);
    }
    if (options.json) {
        printJson(casesJson(*request, *answer));
    } else {
        printCases(*request, *answer);
    }
    const bool all = std::ranges::all_of(
        answer->cases, [](const cases::CaseNeed& need) { return need.fits() || !need.problem.empty(); });
    return all ? kDone : kOutOfMemory;
}

}  // namespace

void addCases(CLI::App& app, int& exit) {
    CLI::App* command = app.add_subcommand(
        "cases", "Will these scans fit? The GPU and host memory of nnU-Net's inference, case by case");
    const auto options = std::make_shared<CasesOptions>();
    command
        ->add_option("PLANS", options->plans,
                     "nnU-Net's plans file, or the folder of a trained model (plans.json, dataset.json)")
        ->required();
    command->add_option("FOLDER", options->folder, "The folder of the scans")->required();
    command
        ->add_option("--gpu", options->gpu,
                     "The GPU: a profile, as `predict --help` lists them, such as rtx3060")
        ->type_name("GPU")
        ->required();
    command
        ->add_option("--host-memory", options->hostMemory,
                     "Host memory that inference may use, such as 32GiB (default: this machine's)")
        ->type_name("SIZE");
    command->add_option("--others", options->others, "Device memory that other processes use (default: 0)")
        ->type_name("SIZE");
    options->network.configuration.clear();
    command->add_option("--configuration", options->network.configuration,
                        "The configuration (default: that of the model's folder, or 3d_fullres)");
    command
        ->add_option("--classes", options->network.classes,
                     "The number of classes with the background (default: from dataset.json)")
        ->check(CLI::Range(2, 65536));
    command
        ->add_option("--channels", options->network.inputChannels,
                     "The number of channels of the images (default: from dataset.json)")
        ->check(CLI::Range(1, 65536));
    command->add_option("--folds", options->folds, "Networks whose logits are averaged (default: 1)")
        ->check(CLI::Range(1, 100));
    command->add_option("--step-size", options->step, "Step of the windows (default: 0.5 of a window)")
        ->check(CLI::Range(0.1, 1.0));
    command->add_flag("--disable-tta", options->noMirroring, "Without mirroring");
    command->add_flag("--not-on-device", options->notOnDevice,
                      "Image and logits are on the host from the start");
    command->add_flag("--save-probabilities", options->probabilities, "Probabilities are saved, too");
    addCudnnOption(*command, options->library);
    command->add_flag("--json", options->json, "Print one JSON object");
    command->footer(
        "Example: highwater-cli cases nnUNetPlans.json imagesTs/ --gpu rtx3060 --host-memory 32GiB");
    command->callback([options, &exit] { exit = run(*options); });
}

}  // namespace highwater::cli
