#include "core/stack/nnunet/nnunet.h"

#include <fmt/format.h>

#include <fmt/ranges.h>

#include "core/base/file.h"
#include "core/base/json_reader.h"
#include "core/base/text.h"
#include "core/stack/nnunet/configurations.h"
#include "core/stack/nnunet/plans.h"
#include "core/stack/shapes.h"

namespace highwater::stack {

namespace {

using base::counted;
using base::Error;
using base::Result;

struct Facts {
    std::int64_t channels = 1, classes = 2;
    std::vector<std::string> notes;
};

/// Channels and classes: those requested, otherwise dataset.json's, otherwise the plan's or an assumption.
Facts settle(const NnunetPlan& plan, const NnunetOptions& options,
             const std::optional<NnunetDataset>& dataset) {
    Facts facts;
    facts.classes = options.classes > 0 ? options.classes : dataset ? dataset->classes : 2;
    if (options.classes == 0 && !dataset) {
        facts.notes.emplace_back(
            "2 classes are assumed: the plans do not specify them, and there is no dataset.json beside them");
    }
    if (facts.classes < 2) {
        facts.notes.emplace_back("2 classes instead of 1: the loss here needs a class for the background");
        facts.classes = 2;
    }
    if (dataset && dataset->regions && options.classes == 0) {
        facts.notes.push_back(
            fmt::format("{} stand for {} of overlapping labels: nnU-Net ends with a sigmoid, here "
                        "it is a softmax",
                        counted(facts.classes, "class"), counted(dataset->classes, "region")));
    }
    std::int64_t images = options.inputChannels > 0 ? options.inputChannels
                          : dataset                 ? dataset->channels
                                                    : plan.channels;
    if (images == 0) {
        images = 1;
        facts.notes.emplace_back("1 input channel is assumed: the plans do not say");
    } else if (options.inputChannels == 0 && !dataset) {
        facts.notes.push_back(fmt::format("{}, one for each normalization scheme of the plans",
                                          counted(images, "input channel")));
    }
    facts.channels = images;
    if (plan.cascade) {
        const std::int64_t labels = options.classes == 0 && dataset ? dataset->foreground : facts.classes - 1;
        facts.channels += labels;
        facts.notes.push_back(
            fmt::format("{} more: the previous stage's labels, one each", counted(labels, "input channel")));
    }
    return facts;
}

Experiment makeExperiment(const NnunetPlan& plan, const NnunetOptions& options, const Facts& facts) {
    Experiment e;
    e.name = plan.dataset.empty() ? plan.configuration : plan.dataset + " " + plan.configuration;
    SyntheticInput input;
    input.shape = {facts.channels};
    input.shape.insert(input.shape.end(), plan.patch.begin(), plan.patch.end());
    e.input = input;
    e.target.kind = Target::Kind::Classes;
    e.target.classes = facts.classes;
    e.loss = Loss::DiceCrossEntropy;
    e.stack = nnunetLayers(plan.network, facts.classes, options.deepSupervision);
    e.optimizer = makeOptimizer(Optimizer::Kind::Sgd);
    e.optimizer.lr = 0.01;
    e.optimizer.momentum = 0.99;
    e.optimizer.nesterov = true;
    e.optimizer.weightDecay = 3e-5;
    e.optimizer.foreach = options.precision == Precision::Fp16;  // torch.optim's default on a GPU
    e.step.keepOutput = true;                                    // train_step holds it in a variable
    e.step.clipGradients = 12;                                   // nnUNetTrainer.train_step
    e.step.batchSize = plan.batch;
    e.step.precision = options.precision;
    e.backend.benchmark = true;  // nnunetv2/run/run_training.py
    return e;
}

void addNotes(const NnunetPlan& plan, const NnunetOptions& options, std::vector<std::string>& notes) {
    if (options.precision == Precision::Fp16) {
        notes.emplace_back("precision is fp16, as nnU-Net trains on CUDA; a run on the CPU needs fp32");
    }
    if (options.deepSupervision && plan.network.stages.size() > 2) {
        notes.emplace_back("the lowest decoder stage has no head: nnU-Net gives it no weight");
    }
    notes.emplace_back(
        "nnU-Net compiles the network (torch.compile) where it can; this is modeled without torch.compile, "
        "which changes memory");
    if (plan.network.residual) {
        notes.emplace_back("residuals are added out of place; nnU-Net adds them in place");
    }
}

Result<NnunetImport> import(const base::Json& plans, const NnunetOptions& options,
                            const std::optional<NnunetDataset>& dataset) {
    const auto plan = HIGHWATER_TRY(readNnunetPlan(plans, options.configuration));
    const Facts facts = settle(plan, options, dataset);
    NnunetImport made{makeExperiment(plan, options, facts), facts.notes};
    made.lossOfWholeBatch = plan.batchDice || (dataset && dataset->ignore);
    if (const auto info = inferShapes(made.experiment); !info) {
        return Error{fmt::format("/configurations/{}: {}", plan.configuration, info.error().message)};
    }
    addNotes(plan, options, made.notes);
    return made;
}

/// Adds the file's name before an error and, if the configuration does not exist, the list of those that do.
Error named(const Error& error, std::string_view name, const base::Json& plans) {
    std::string text = fmt::format("{}: {}", name, error.message);
    if (error.message.starts_with("there is no configuration")) {
        const auto names = NnunetConfigurations(plans).withNetwork();
        text += names.empty() ? "; the file has none" : fmt::format("; there are {}", fmt::join(names, ", "));
    }
    return Error{base::oneLine(text, 900)};
}

Result<NnunetImport> importText(std::string_view text, std::string_view name, const NnunetOptions& options,
                                const std::optional<NnunetDataset>& dataset) {
    const auto plans = HIGHWATER_TRY(base::parseJson(text, name));
    auto made = import(plans, options, dataset);
    return made ? made : Result<NnunetImport>(named(made.error(), name, plans));
}

/// Reads the dataset.json in the plans' folder; std::nullopt if there is none.
Result<std::optional<NnunetDataset>> datasetBeside(const std::filesystem::path& plans) {
    const auto path = plans.parent_path() / "dataset.json";
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored)) {
        return std::optional<NnunetDataset>();
    }
    const auto json = HIGHWATER_TRY(base::readJson(path));
    const auto dataset = readNnunetDataset(json);
    if (!dataset) {
        return Error{base::oneLine(fmt::format("{}: {}", path.string(), dataset.error().message), 900)};
    }
    return std::optional(*dataset);
}

}  // namespace

Result<NnunetImport> importNnunet(std::string_view plans, std::string_view name,
                                  const NnunetOptions& options) {
    return importText(plans, name, options, std::nullopt);
}

Result<NnunetImport> importNnunetFile(const std::filesystem::path& plans, const NnunetOptions& options) {
    const auto text = HIGHWATER_TRY(base::readFile(plans));
    const auto dataset = HIGHWATER_TRY(datasetBeside(plans));
    return importText(text, plans.string(), options, dataset);
}

Result<std::vector<std::string>> nnunetConfigurations(std::string_view plans, std::string_view name) {
    const auto json = HIGHWATER_TRY(base::parseJson(plans, name));
    auto names = NnunetConfigurations(json).withNetwork();
    if (names.empty()) {
        return Error{
            fmt::format("{}: /configurations: holds no network; is it a plans file of nnU-Net?", name)};
    }
    return names;
}

bool looksLikeNnunetPlans(std::string_view text) {
    const auto has = [&](std::string_view key) { return text.find(key) != std::string_view::npos; };
    return has("\"configurations\"") && (has("\"UNet_class_name\"") || has("\"network_class_name\""));
}

}  // namespace highwater::stack
