#include "tests/gpu/accuracy_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/base/text.h"

namespace highwater::reference {

namespace {

std::string opening(const std::vector<Comparison>& comparisons) {
    const auto gpus = std::count_if(comparisons.begin(), comparisons.end(), [](const Comparison& each) {
        return each.kind == Kind::Gpu && !each.asked;
    });
    if (gpus > 0) {
        return fmt::format(
            "{} of the files below {} measured on a GPU by `tests/gpu/validate`. The error is that of the "
            "peak, "
            "predicted against measured, twice for a GPU: as one predicts who has none, from what cuDNN "
            "answers "
            "about its workspaces without a device, and with the workspaces that were measured there. "
            "(core/predict/workspaces/unlisted.h holds three rules that were made from the H200's file; "
            "before "
            "them "
            "plain-2d was predicted 12.7 % too low in the first way. All other rules are older than the "
            "file.)",
            gpus, gpus == 1 ? "was" : "were");
    }
    return "**No GPU has been measured yet.** Every prediction for a GPU is made from LibTorch's rules, as "
           "read "
           "from its sources and replayed by the allocator's simulator, from datasheets, and from guesses of "
           "cuDNN's workspaces; how far it lies from a device is not known. `tests/gpu/validate` on a GPU "
           "server "
           "writes the file that this page is then made from. What follows tests the kit and the comparison, "
           "not "
           "a GPU.";
}

std::string kindText(const Comparison& comparison) {
    switch (comparison.kind) {
        case Kind::Gpu:
            return "Measured on a GPU";
        case Kind::Cpu:
            return "A rehearsal of the kit on a CPU, with divided sizes; says nothing about GPUs";
        case Kind::Standin:
            break;
    }
    return "No measurement: LibTorch's own CUDA allocator and operators ran on a pretended device that "
           "executes nothing, and were predicted without cuDNN's workspaces, of which a pretended device "
           "knows nothing. It compares the rules with LibTorch's code";
}

std::string row(const std::string& name, const Figures& f) {
    return fmt::format("| {} | {} | {:.2f} % | {:.2f} % | {:.2f} % | {:.0f} % |\n", name, f.n, f.median,
                       f.p95, f.worst, f.under);
}

std::string table(const Comparison& comparison) {
    std::string text =
        "| | experiments | median | 95th percentile | worst | more than 0.1 % too low |\n"
        "|---|---|---|---|---|---|\n";
    text += row("allocated", figuresOf(comparison, Quantity::Allocated));
    if (const Figures reserved = figuresOf(comparison, Quantity::Reserved); reserved.n > 0) {
        text += row("reserved", reserved);
    }
    std::set<std::string> families;
    for (const Compared& each : comparison.experiments) {
        families.insert(each.family);
    }
    for (const std::string& family : families) {
        text += row("allocated, " + family, figuresOf(comparison, Quantity::Allocated, family));
    }
    return text;
}

/// The largest difference of a category at the peak, as a fraction of the peak.
std::string categories(const Comparison& comparison) {
    std::string text;
    for (const memory::Category category : memory::kCategories) {
        double worst = 0;
        for (const Compared& each : comparison.experiments) {
            if (each.allocated > 0) {
                worst = std::max(worst, std::abs(static_cast<double>(each.predictedLedger[category] -
                                                                     each.ledger[category])) /
                                            static_cast<double>(each.allocated));
            }
        }
        text += fmt::format("{}{} {:.2f} %", text.empty() ? "" : ", ", memory::categoryKey(category),
                            100 * worst);
    }
    return "- by category at the peak, largest difference as a share of the peak: " + text + "\n";
}

std::string worstOnes(const Comparison& comparison) {
    std::vector<const Compared*> all;
    for (const Compared& each : comparison.experiments) {
        all.push_back(&each);
    }
    std::sort(all.begin(), all.end(), [](const Compared* a, const Compared* b) {
        return std::abs(a->allocatedError()) > std::abs(b->allocatedError());
    });
    std::string text = "\n| furthest off | measured | predicted | error |\n|---|---|---|---|\n";
    for (std::size_t i = 0; i < std::min<std::size_t>(5, all.size()); ++i) {
        text += fmt::format(
            "| {} | {} | {} | {:+.2f} % |\n", all[i]->name, base::formatBytes(all[i]->allocated),
            base::formatBytes(all[i]->predictedAllocated.expected), 100 * all[i]->allocatedError());
    }
    return text;
}

/// The device and the versions, and what does not depend on how it was predicted.
std::string machine(const Comparison& comparison) {
    const wire::Environment& environment = comparison.environment;
    std::string versions;
    for (const char* name : {"libtorch", "cuda", "cudnn", "driver", "onednn"}) {
        if (const auto at = environment.versions.find(name); at != environment.versions.end()) {
            versions += fmt::format(", {} {}", name, at->second);
        }
    }
    std::string text = fmt::format("- {}, {}{}; {}\n", environment.deviceName,
                                   base::formatBytes(environment.memoryBytes), versions, comparison.when);
    if (comparison.oom.tried > 0) {
        text += fmt::format("- provoked out of memory {} times in {}, and {} next runs succeeded\n",
                            comparison.oom.provoked, comparison.oom.tried, comparison.oom.recovered);
    }
    for (const Overhead& each : comparison.overhead) {
        if (comparison.kind != Kind::Gpu) {
            break;  // the kit's figure is not about a step on a GPU
        }
        text +=
            each.comparable
                ? fmt::format(
                      "- {}: the engine's step takes {:.3f} times the bare loop's, with the trace {:.3f}\n",
                      each.name, each.engineOverBare, each.tracedOverBare)
                : fmt::format(
                      "- {}: not compared: the bare loop computed in TF32 and the engine in fp32, which took "
                      "{:.1f} times as long (a fault of the kit, mended since)\n",
                      each.name, each.engineOverBare);
    }
    return text;
}

std::string facts(const Comparison& comparison) {
    std::string text;
    const auto exact = std::count_if(comparison.experiments.begin(), comparison.experiments.end(),
                                     [](const Compared& each) { return each.exact; });
    const auto held =
        std::count_if(comparison.experiments.begin(), comparison.experiments.end(), [](const Compared& each) {
            return each.predictedAllocated.low <= each.allocated &&
                   each.allocated <= each.predictedAllocated.high;
        });
    const auto toTheByte = std::count_if(
        comparison.experiments.begin(), comparison.experiments.end(),
        [](const Compared& each) { return each.predictedAllocated.expected == each.allocated; });
    text += fmt::format(
        "- {} experiments compared, {} without any guess; the peak is right to the byte in {} of them, its "
        "interval "
        "holds {}; {} had nothing to compare (not possible there, or out of memory)\n",
        comparison.experiments.size(), exact, toTheByte, held, comparison.notRun);
    if (!comparison.calibrated) {
        text += comparison.kind == Kind::Cpu
                    ? "- no convolution was calibrated with this LibTorch, oneDNN and processor: the "
                      "temporary memory of convolutions is guessed from other tables, and the intervals "
                      "promise nothing\n"
                    : "- no workspace of cuDNN was measured with these versions on this architecture\n";
    }
    if (!comparison.ladder.empty()) {
        text += fmt::format("- out of memory within a budget, yes or no: {:.0f} % of {} predicted rightly\n",
                            rightlyPredicted(comparison), comparison.ladder.size());
    }
    return text;
}

}  // namespace

std::string accuracyPage(const std::vector<Comparison>& comparisons) {
    std::string text =
        "# How near predictions for GPUs come\n\nMade by `docs/make-gpu-accuracy` from the files in "
        "`tests/gpu/reference`; do not edit.\n\n" +
        opening(comparisons) + "\n";
    std::string file;
    for (const Comparison& comparison : comparisons) {
        if (comparison.file != file) {
            text += fmt::format("\n## {}\n\n{}.\n\n", comparison.file, kindText(comparison));
            text += machine(comparison);
            file = comparison.file;
        }
        if (comparison.kind == Kind::Gpu) {
            text += comparison.asked
                        ? "\n### As predicted without a GPU: workspaces asked of cuDNN\n\n"
                        : "\n### With the workspaces that were measured there, the rest asked\n\n";
        }
        text += facts(comparison) + categories(comparison) + "\n" + table(comparison) + worstOnes(comparison);
    }
    return text;
}

}  // namespace highwater::reference
