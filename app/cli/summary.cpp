#include "app/cli/summary.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/cli/device_text.h"
#include "app/cli/output.h"
#include "core/base/text.h"
#include "core/wire/gpu_words.h"

namespace highwater::cli {

namespace {

using base::formatBytes;
using base::formatMillis;
using wire::RunResult;

std::string where(const RunResult& result) {
    std::string text = fmt::format("in {}", wire::phaseKey(result.peak.phase));
    if (result.peak.layer >= 0) {
        text += ", at " + result.layers[static_cast<std::size_t>(result.peak.layer)].name;
    }
    return text;
}

void printMachine(const wire::Environment& machine, const std::string& host) {
    const std::string name = machine.deviceName.empty() ? "" : fmt::format(" ({})", machine.deviceName);
    const std::string details =
        machine.threads > 0 ? fmt::format(", {}, {}", base::counted(machine.threads, "thread"), machine.isa)
                            : "";
    const std::string capability =
        machine.architecture > 0
            ? fmt::format(", compute capability {}.{}", machine.architecture / 10, machine.architecture % 10)
            : "";
    printRow("device", machine.device + name + capability + details);
    if (!host.empty()) {
        printRow("host", host);
    }
}

/// The prediction made before the run, compared with the measurement.
std::string predictedText(const wire::Predicted& predicted, base::Bytes measured) {
    std::string text = "estimated " + formatBytes(predicted.expected);
    if (!predicted.exact()) {
        text += fmt::format(" ({} to {})", formatBytes(predicted.low), formatBytes(predicted.high));
    }
    text += ", measured " + formatBytes(measured);
    if (measured == predicted.expected) {
        return text + ", equal to the byte";
    }
    return text + ", " +
           base::formatChange(static_cast<double>(predicted.expected), static_cast<double>(measured));
}

void printMemory(const RunResult& result) {
    if (result.peakAllocated == 0) {
        return;
    }
    printRow("peak", fmt::format("{} ({})", formatBytes(result.peakAllocated), where(result)));
    if (result.predicted && result.status == wire::RunStatus::Done) {
        printRow("predicted", predictedText(*result.predicted, result.peakAllocated));
    }
    if (result.peakRss > 0) {
        printRow("whole process", formatBytes(result.peakRss));
    }
    for (const memory::Category category : memory::kCategories) {
        if (result.peakByCategory[category] > 0) {
            printRow(fmt::format("  {}", memory::categoryKey(category)),
                     formatBytes(result.peakByCategory[category]));
        }
    }
}

void printRanks(const RunResult& result) {
    for (const wire::RankResult& rank : result.ranks) {
        const std::string step =
            rank.stepMs.n > 0 ? fmt::format(", step {}", formatMillis(rank.stepMs.median)) : "";
        printRow(
            fmt::format("rank {}", rank.rank),
            rank.why.empty() ? fmt::format("peak {}{}", formatBytes(rank.peakAllocated), step) : rank.why);
    }
}

void printTimes(const RunResult& result) {
    if (result.stepMs.n > 0) {
        printRow("step", fmt::format("{} ({} to {}, {} steps)", formatMillis(result.stepMs.median),
                                     formatMillis(result.stepMs.low), formatMillis(result.stepMs.high),
                                     result.stepMs.n));
        printRow("throughput", base::formatNumber(result.throughput) + " samples/s");
    }
    if (!result.losses.empty()) {
        printRow("loss", fmt::format("{:.4g} to {:.4g}", result.lossFirst, result.lossLast));
    }
}

void printGpu(const RunResult& result) {
    for (const auto& [name, value] : gpuRows(result)) {
        printRow(name, value);
    }
    if (const std::string held = deviceTable(deviceColumns(result)); !held.empty()) {
        printLines("\n" + held);
    }
}

void printLayers(const RunResult& result) {
    if (result.layers.empty()) {
        return;
    }
    std::vector<std::vector<std::string>> rows = {
        {"layer", "output", "parameters", "activations", "forward", "backward"}};
    const auto timeText = [hasTimes = wire::timed(result.layers)](double ms) {
        return hasTimes ? formatMillis(ms) : std::string("–");
    };
    for (const wire::LayerCost& layer : result.layers) {
        rows.push_back({layer.name, base::formatShapeShort(layer.outputShape),
                        base::formatCount(layer.parameters), formatBytes(layer.activationBytes),
                        timeText(layer.forwardMs), timeText(layer.backwardMs)});
    }
    if (!result.workspaces.empty()) {
        rows.front().emplace_back("workspace");
        for (std::size_t i = 1; i < rows.size(); ++i) {
            const base::Bytes workspace = wire::workspaceOf(result, static_cast<int>(i) - 1);
            rows[i].push_back(workspace > 0 ? formatBytes(workspace) : "–");
        }
    }
    printLines("\n" + table(rows, {2, 3, 4, 5, 6}));
}

}  // namespace

void printSummary(const runs::RunRecord& record) {
    const runs::RunSummary& run = record.summary;
    printText("run {} · {} · {}\n", run.number, run.name.empty() ? "(no name)" : run.name,
              wire::statusKey(run.status));
    printRow("id", run.id);
    if (!run.message.empty()) {
        printRow("because", run.message);
    }
    if (run.progress) {
        printRow("progress", runs::progressText(*run.progress));
    }
    if (!run.note.empty()) {
        printRow("note", run.note);
    }
    if (!run.tags.empty()) {
        printRow("tags", fmt::format("{}", fmt::join(run.tags, ", ")));
    }
    if (!run.study.name.empty()) {
        printRow("study", run.study.name);
    }
    printMachine(record.result.environment, run.host);
    if (record.python) {
        printRow("through", wire::pythonText(*record.python));
        if (record.python->share) {
            printRow("", wire::shareText(*record.python->share));
        }
    }
    printMemory(record.result);
    printRanks(record.result);
    printTimes(record.result);
    printGpu(record.result);
    printLayers(record.result);
    std::fflush(stdout);
}

}  // namespace highwater::cli
