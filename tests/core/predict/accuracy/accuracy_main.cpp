#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include "core/base/file.h"
#include "core/stack/json/json.h"
#include "core/stack/presets/presets.h"
#include "tests/core/predict/accuracy/accuracy.h"

/// predict_accuracy page FILE: measures and predicts the 300 random stacks and writes the table of errors.
/// predict_accuracy add FILE: adds this LibTorch's table to the page.
/// predict_accuracy rows FOLDER: adds the rows that these stacks, the presets and the sample need to the
/// tables in FOLDER.
namespace highwater::predict::testing {
namespace {

struct Group {
    std::vector<double> errors;
    std::size_t sameEvents = 0, held = 0;
    std::vector<double> widths;  ///< of the interval without rows, as a fraction of the measured peak
    void add(const Outcome& outcome) {
        errors.push_back(100 * std::abs(relativeError(outcome)));
        sameEvents += outcome.sameEvents ? 1 : 0;
        held += holds(outcome) ? 1 : 0;
        widths.push_back(100 * static_cast<double>(outcome.guessed.high - outcome.guessed.low) /
                         static_cast<double>(outcome.measured.peak));
    }
};

std::string lineOf(const std::string& name, const Group& group) {
    const auto count = static_cast<double>(group.errors.size());
    return fmt::format("| {} | {} | {:.1f} % | {:.3f} % | {:.3f} % | {:.3f} % | {:.1f} % | {:.1f} % |\n",
                       name, group.errors.size(), 100 * static_cast<double>(group.sameEvents) / count,
                       quantile(group.errors, 0.5), quantile(group.errors, 0.95), quantile(group.errors, 1),
                       100 * static_cast<double>(group.held) / count, quantile(group.widths, 0.5));
}

std::string_view optimizerOf(const stack::Experiment& experiment) {
    switch (experiment.optimizer.kind) {
        case stack::Optimizer::Kind::Sgd:
            return "sgd";
        case stack::Optimizer::Kind::Adam:
            return "adam";
        case stack::Optimizer::Kind::AdamW:
            break;
    }
    return "adamw";
}

std::vector<std::string> groupsOf(const Case& each) {
    const stack::Experiment& e = each.experiment;
    return {"all",
            fmt::format("{}d", each.info.input.size() - 2),
            each.checkpointed ? "checkpointed blocks" : "no checkpoint",
            fmt::format("optimizer {}", optimizerOf(e)),
            fmt::format("{} thread{}", e.backend.threads, e.backend.threads == 1 ? "" : "s"),
            e.step.microBatches > 1 ? "micro batches" : "whole batches"};
}

constexpr std::string_view kHead =
    "# How near predictions come\n\n"
    "Made by `docs/make-accuracy`; do not edit. 300 random stacks (1d, 2d and 3d, U-Nets and residuals, "
    "every layer kind, checkpointed blocks, three optimizers) are trained on the CPU for two steps and "
    "predicted for the same machine. The error is that of the peak, predicted against measured; "
    "\"allocation by allocation\": every allocation, change of category and free of the two steps, in "
    "order, with its size, layer and phase, is the predicted one. Only for a release of LibTorch whose peaks "
    "are all right here, and 99 % of whose stacks are right allocation by allocation, does a prediction call "
    "itself exact.\n\n"
    "The last two columns are of predictions without any row of the stack's own convolutions: how often "
    "the interval holds the measured peak, and its median width as a share of that peak.\n";

/// The results for one LibTorch.
std::string section(const std::map<std::string, Group>& groups, const Accuracy& accuracy, std::size_t missing,
                    std::size_t rows, double worstCategory) {
    std::string text = fmt::format("\n## LibTorch {}\n\n", accuracy.tables().begin()->second.key().libtorch);
    for (const auto& [threads, table] : accuracy.tables()) {
        text += fmt::format("- {} thread{}: oneDNN {}, {}; {} rows\n", threads, threads == 1 ? "" : "s",
                            table.key().onednn, table.key().isa, table.size());
    }
    text += fmt::format(
        "- {} convolution passes a step; {} of the rows were measured for this page, the others "
        "came from the calibration\n",
        rows, missing);
    text += fmt::format(
        "- parameters, gradients, optimizer state, input and activations (at the peak, each at "
        "its own maximum, and at the end): largest difference {} B\n\n",
        static_cast<std::int64_t>(worstCategory));
    text +=
        "| | stacks | allocation by allocation | median | 95th percentile | worst | interval holds | "
        "interval's width |\n|---|---|---|---|---|---|---|---|\n";
    text += lineOf("all", groups.at("all"));
    for (const auto& [name, group] : groups) {
        if (name != "all") {
            text += lineOf(name, group);
        }
    }
    return text;
}

double largestDifference(const Outcome& outcome) {
    using memory::Category;
    double largest = 0;
    const auto compare = [&](const memory::Ledger& a, const memory::Ledger& b) {
        for (const Category each : {Category::Input, Category::Parameters, Category::OptimizerState,
                                    Category::Gradients, Category::Activations}) {
            largest = std::max(largest, std::abs(static_cast<double>(a[each] - b[each])));
        }
    };
    compare(outcome.measured.atEnd, outcome.predicted.atEnd);
    compare(outcome.measured.highest, outcome.predicted.highest);
    compare(outcome.measured.atPeak, outcome.predicted.atPeak);
    return largest;
}

/// `before`: the existing contents of the page.
int writePage(const std::string& file, const std::string& before) {
    Accuracy accuracy;
    std::map<std::string, Group> groups;
    std::size_t missing = 0, rows = 0;
    double worst = 0;
    for (int seed = 0; seed < kCases; ++seed) {
        const Case each = makeCase(seed);
        const auto outcome = accuracy.run(each);
        if (!outcome) {
            fmt::print(stderr, "seed {}: {}\n", seed, outcome.error().message);
            return 1;
        }
        for (const std::string& group : groupsOf(each)) {
            groups[group].add(*outcome);
        }
        missing += outcome->missing;
        rows += outcome->rows;
        worst = std::max(worst, largestDifference(*outcome));
        if (!outcome->sameEvents || relativeError(*outcome) != 0 || !holds(*outcome)) {
            fmt::print("seed {}: same events {}, error {:.5f} %, measured {}, interval {} to {}\n", seed,
                       outcome->sameEvents, 100 * relativeError(*outcome), outcome->measured.peak,
                       outcome->guessed.low, outcome->guessed.high);
        }
    }
    const auto written =
        base::writeFileAtomically(file, before + section(groups, accuracy, missing, rows, worst));
    if (!written) {
        fmt::print(stderr, "{}\n", written.error().message);
    }
    return written ? 0 : 1;
}

int addRows(const std::string& folder) {
    std::vector<stack::Experiment> all;
    for (int seed = 0; seed < kCases; ++seed) {
        all.push_back(makeCase(seed).experiment);
    }
    const auto presets = stack::loadPresets();
    if (!presets) {
        fmt::print(stderr, "{}\n", presets.error().message);
        return 1;
    }
    for (const stack::Preset& preset : *presets) {
        for (const int threads : {1, 2}) {
            all.push_back(preset.experiment);
            all.back().backend.threads = threads;
        }
    }
    if (const auto sample = stack::loadExperiment(HIGHWATER_SOURCE_DIR "/resources/samples/sample.json")) {
        for (const int threads : {1, 2}) {
            all.push_back(*sample);
            all.back().backend.threads = threads;
        }
    }
    Accuracy accuracy;
    std::size_t added = 0;
    for (const stack::Experiment& experiment : all) {
        const auto info = stack::inferShapes(experiment);
        const auto more =
            info ? accuracy.addRows(experiment, *info) : base::Result<std::size_t>(info.error());
        if (!more) {
            fmt::print(stderr, "{}: {}\n", experiment.name, more.error().message);
        } else {
            added += *more;
        }
    }
    for (const auto& [threads, table] : accuracy.tables()) {
        const std::string file = folder + "/" + calibrationFileName(table.key());
        if (const auto written = base::writeFileAtomically(file, writeCalibration(table)); !written) {
            fmt::print(stderr, "{}\n", written.error().message);
        }
        fmt::print("{}: {} rows\n", file, table.size());
    }
    fmt::print("{} rows added\n", added);
    return 0;
}

}  // namespace
}  // namespace highwater::predict::testing

int main(int argc, char** argv) {
    using namespace highwater::predict::testing;
    const std::string what = argc == 3 ? argv[1] : "";
    if (what == "page") {
        return writePage(argv[2], std::string(kHead));
    }
    if (what == "add") {
        const auto before = highwater::base::readFile(argv[2]);
        if (!before) {
            fmt::print(stderr, "{}\n", before.error().message);
            return 1;
        }
        return writePage(argv[2], *before);
    }
    if (what == "rows") {
        return addRows(argv[2]);
    }
    fmt::print(stderr, "usage: {} page FILE | add FILE | rows FOLDER\n", argv[0]);
    return 2;
}
