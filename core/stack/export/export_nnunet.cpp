#include "core/stack/export/export_nnunet.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "core/base/json_reader.h"
#include "core/base/text.h"
#include "core/stack/export/python_text.h"
#include "core/stack/nnunet/nnunet.h"
#include "core/stack/nnunet/plans.h"
#include "texts/stack_texts.h"

namespace highwater::stack {

namespace {

using namespace python;
using base::Error;
using base::Result;

bool isWord(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// The name of the plans, which becomes a file's name and a word of a command.
Result<std::string> plansName(const base::Json& plans) {
    constexpr std::size_t kLongest = 150;
    const auto at = plans.find("plans_name");
    const std::string name = at != plans.end() && at->is_string() ? at->get<std::string>() : "";
    const bool good =
        !name.empty() && name.size() <= kLongest && isWord(name.front()) &&
        std::all_of(name.begin(), name.end(), [](char c) { return isWord(c) || c == '-' || c == '.'; });
    return good ? Result<std::string>(name)
                : Error{"/plans_name: must be a text of letters, digits and _ - ."};
}

std::string listOf(const std::vector<std::string>& names) {
    std::string text = "[";
    for (const std::string& name : names) {
        text += "\n    " + literal(name) + ",";
    }
    return text + (names.empty() ? "]" : "\n]");
}

std::string trainerOf(const NnunetExport& made, const NnunetChanges& changes) {
    const bool parts = changes.microBatches > 1;
    std::string text = fmt::format(
        "\"\"\"nnU-Net's default trainer with less memory, exported by Highwater.\n\n"
        "    export nnUNet_extTrainer=FOLDER_OF_THIS_FILE\n"
        "    nnUNetv2_train DATASET CONFIGURATION FOLD -p {} -tr {}\n\"\"\"\n\n{}import functools\n\n"
        "import torch\nfrom nnunetv2.training.nnUNetTrainer.nnUNetTrainer import nnUNetTrainer\n"
        "from torch.utils.checkpoint import checkpoint\n\n",
        made.plansName, made.trainer, parts ? "import contextlib\n" : "");
    text += commentLine(0, "For " + changes.device);
    text += fmt::format("PLANS = {}\nCONFIGURATION = {}\n", literal(made.plansName),
                        literal(changes.configuration));
    text +=
        commentLine(0, "These modules keep only their inputs, and are computed again in the backward pass");
    text += fmt::format("RECOMPUTED = {}\n", listOf(changes.recomputed));
    if (parts) {
        text += commentLine(0, "The batch is computed in this many parts, whose gradients are summed");
        text += fmt::format("MICRO_BATCHES = {}\n", changes.microBatches);
    }
    text += "\n\n" + std::string(texts::nnunet_trainer);
    if (parts) {
        text += "\n" + std::string(texts::nnunet_micro_batches);
    }
    return replaced(std::move(text), "class Trainer(", "class " + made.trainer + "(");
}

}  // namespace

base::Status checkNnunetName(std::string_view text) {
    constexpr std::size_t kLongest = 60;
    const bool good =
        !text.empty() && text.size() <= kLongest && std::all_of(text.begin(), text.end(), isWord);
    return good ? base::Status()
                : Error{fmt::format("\"{}\" must be letters, digits and underscores",
                                    base::oneLine(text, kLongest))};
}

Result<NnunetExport> exportNnunet(std::string_view text, std::string_view name,
                                  const NnunetChanges& changes) {
    HIGHWATER_TRY(checkNnunetName(changes.name));
    NnunetOptions options;
    options.configuration = changes.configuration;
    HIGHWATER_TRY(importNnunet(text, name, options));
    auto plans = base::parseJson(text, name);
    const auto before = HIGHWATER_TRY(base::prefixed(name, plansName(*plans)));
    if (readNnunetPlan(*plans, changes.configuration)->cascade) {  // importNnunet() has read it
        return Error{base::oneLine(
            fmt::format(
                "{}: /configurations/{}: is the second stage of a cascade, for which nnU-Net takes "
                "predictions of the first stage by the same trainer; only a first stage can be exported",
                name, changes.configuration),
            900)};
    }
    NnunetExport made;
    made.plansName = before + "_" + changes.name;
    made.trainer = "nnUNetTrainer_" + changes.name;
    if (const auto at = plans->find("dataset_name"); at != plans->end() && at->is_string()) {
        made.dataset = base::oneLine(at->get<std::string>(), 200);
    }
    (*plans)["plans_name"] = made.plansName;
    made.plansText = plans->dump(4, ' ', true) + "\n";
    made.trainerText = trainerOf(made, changes);
    return made;
}

}  // namespace highwater::stack
