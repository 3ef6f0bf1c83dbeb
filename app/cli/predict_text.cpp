#include "app/cli/predict_json.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "app/cli/output.h"
#include "core/base/text.h"
#include "core/plan/prediction_words.h"
#include "core/wire/events.h"

namespace highwater::cli {
namespace {

using base::formatBytes;
using base::formatMillis;
using predict::Estimate;
using predict::Prediction;
using predict::TimeEstimate;

void printRanks(const Predicted& p) {
    const predict::Ranks& ranks = p.target.ranks;
    if (ranks.count < 2) {
        return;
    }
    printRow("ranks", fmt::format("{}, and each needs what follows; a step has {} x {} = {} samples",
                                  ranks.count, ranks.count, p.batchSize, ranks.count * p.batchSize));
    if (p.target.gpu) {
        printRow("NCCL's buffers", plan::bandText(predict::ncclBuffers(ranks.count)) +
                                       ", estimated from published figures, beside what follows");
    }
}

void printMemory(const Predicted& p) {
    const Prediction& result = p.prediction;
    printRow("estimated peak", fmt::format("{} ({})", plan::needText(result, result.peakAllocated),
                                           plan::whereText(result, p.info)));
    for (const memory::Category category : memory::kCategories) {
        if (result.peakByCategory[category] > 0) {
            printRow(fmt::format("  {}", memory::categoryKey(category)),
                     formatBytes(result.peakByCategory[category]));
        }
    }
    if (p.target.gpu && result.outOfMemory.empty()) {
        printRow("in whole blocks", fmt::format("{}, as torch.cuda.max_memory_allocated() counts",
                                                plan::needText(result, result.maxMemoryAllocated)));
        printRow("reserved",
                 fmt::format("{}, {} above the peak", plan::needText(result, result.peakReserved),
                             formatBytes(result.peakReserved.expected - result.peakAllocated.expected)));
    }
    if (result.onHost > 0) {
        printRow("offloaded", formatBytes(result.onHost) + " wait in the host's memory");
    }
}

void printFits(const predict::Target& target, const Prediction& result) {
    if (result.capacity == 0) {
        return;
    }
    printRow("fits",
             fmt::format("{}: {} is left{}; odds of running out {}", fitsKey(result.fits),
                         formatBytes(result.capacity), plan::besideText(target), plan::oddsText(result)));
    if (!result.outOfMemory.empty()) {
        printRow("runs out", result.outOfMemory);
    }
}

void printCliffs(const std::vector<predict::Cliff>& cliffs) {
    if (!cliffs.empty()) {
        printText("\ncliffs\n");
    }
    for (const predict::Cliff& cliff : cliffs) {
        printText("  {}\n", cliff.message);
        for (const auto& [axis, values] : cliff.safe) {
            if (!values.empty()) {
                printText("    safe {}: {}\n", axis, fmt::join(values, " or "));
            }
        }
    }
}

/// Prints the layers with the most live bytes at the peak, without blocks.
void printLayers(const Predicted& p) {
    constexpr std::size_t kShown = 10;
    const auto& layers = p.prediction.layers;
    std::vector<std::size_t> order(std::min(layers.size(), p.info.layers.size()));
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::erase_if(order,
                  [&](std::size_t i) { return p.info.layers[i].type == "block" || layers[i].atPeak == 0; });
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return layers[a].atPeak > layers[b].atPeak; });
    if (order.empty()) {
        return;
    }
    const std::size_t hidden = order.size() > kShown ? order.size() - kShown : 0;
    order.resize(order.size() - hidden);
    std::vector<std::vector<std::string>> rows = {
        {"largest at the peak", "output", "parameters", "activations", "at the peak"}};
    for (const std::size_t i : order) {
        rows.push_back({p.info.layers[i].name, base::formatShapeShort(p.info.layers[i].output),
                        base::formatCount(p.info.layers[i].parameters),
                        formatBytes(layers[i].activationBytes), formatBytes(layers[i].atPeak)});
    }
    printLines("\n" + table(rows, {2, 3, 4}));
    if (hidden > 0) {
        printText("and {} smaller\n", hidden);
    }
}

void printCurve(const predict::AxisScan& scan, const predict::AxisCurve& curve, bool gpu) {
    std::vector<std::vector<std::string>> rows = {
        {scan.axis, "estimated peak", "low", "high", "step", "fits", ""}};
    for (const predict::AxisPoint& point : curve.points) {
        const Estimate& peak = gpu ? point.reserved : point.allocated;
        const bool jumps =
            std::find(curve.jumps.begin(), curve.jumps.end(), point.value) != curve.jumps.end();
        rows.push_back({fmt::format("{}", point.value), formatBytes(peak.expected), formatBytes(peak.low),
                        formatBytes(peak.high), formatMillis(point.stepMs.expected),
                        std::string(fitsKey(point.fits)),
                        jumps                   ? "jumps here"
                        : !point.cliffs.empty() ? "cliff"
                                                : ""});
    }
    printLines("\n" + table(rows, {0, 1, 2, 3, 4}));
    if (gpu) {
        printText("peaks are of reserved memory\n");
    }
    if (curve.leftOut > 0) {
        printText("{} value{} left out: the stack does not accept {}\n", curve.leftOut,
                  curve.leftOut == 1 ? " is" : "s are", curve.leftOut == 1 ? "it" : "them");
    }
}

void printBasis(const Prediction& result) {
    if (!result.basis.empty()) {
        printRow("workspaces", result.basis);
    }
}

void printGuesses(const Prediction& result) {
    if (result.guesses.empty()) {
        return;
    }
    printText("\nguesses\n");
    for (const std::string& guess : result.guesses) {
        printText("  {}\n", guess);
    }
}

}  // namespace

std::string timeBandText(const predict::TimeEstimate& e) {
    return fmt::format("{}, from {} to {}", formatMillis(e.expected), formatMillis(e.low),
                       formatMillis(e.high));
}

void printPrediction(const std::string& name, const Predicted& p) {
    printText("estimate · {}\n", name.empty() ? "(no name)" : name);
    printRow("device", plan::targetText(p.target));
    printRanks(p);
    printMemory(p);
    printBasis(p.prediction);
    printFits(p.target, p.prediction);
    if (p.budget) {
        printRow("budget", fmt::format("{} {}", p.withinBudget() ? "within" : "not certainly within",
                                       formatBytes(*p.budget)));
    }
    if (p.prediction.stepMs.expected > 0) {
        printRow("estimated step", timeBandText(p.prediction.stepMs));
    }
    printCliffs(p.prediction.cliffs);
    if (p.scan != nullptr && p.curve != nullptr) {
        printCurve(*p.scan, *p.curve, p.target.gpu.has_value());
    } else {
        printLayers(p);
    }
    printGuesses(p.prediction);
    std::fflush(stdout);
}

}  // namespace highwater::cli
