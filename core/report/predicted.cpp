#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>

#include "core/base/text.h"
#include "core/report/canvas.h"
#include "core/report/run_sections.h"

namespace highwater::report {
namespace {

/// What was measured against what was predicted. If almost nothing was predicted, a percentage means little:
/// the bytes are given.
std::string bytesDifference(base::Bytes predicted, base::Bytes measured) {
    constexpr base::Bytes kMostTimes = 10;
    if (predicted == measured) {
        return "equal";
    }
    if (measured / kMostTimes >= predicted) {
        return "+" + base::formatBytes(measured - predicted);
    }
    return base::formatChange(static_cast<double>(predicted), static_cast<double>(measured));
}

TableRow bytesRow(std::string name, std::optional<Rgb> swatch, base::Bytes predicted, base::Bytes measured,
                  std::string note = "") {
    return {{std::move(name), swatch},
            {base::formatBytes(predicted), {}, std::move(note)},
            {base::formatBytes(measured)},
            {bytesDifference(predicted, measured)}};
}

std::string rangeNote(const wire::Predicted& predicted) {
    return predicted.exact()
               ? ""
               : fmt::format("{} to {}", base::formatBytes(predicted.low), base::formatBytes(predicted.high));
}

TableRow stepRow(const wire::Predicted& predicted, const base::Interval& measured) {
    const bool range = std::isfinite(predicted.stepLow) && std::isfinite(predicted.stepHigh) &&
                       predicted.stepLow < predicted.stepHigh;
    return {{"step time, median"},
            {base::formatMillis(predicted.step),
             {},
             range ? fmt::format("{} to {}", base::formatMillis(predicted.stepLow),
                                 base::formatMillis(predicted.stepHigh))
                   : ""},
            {stepTimeText(measured)},
            {measured.n > 0 ? base::formatChange(predicted.step, measured.median) : ""}};
}

Table totalsTable(const wire::Predicted& predicted, const wire::RunResult& result) {
    std::vector<TableRow> rows;
    for (auto c = memory::kCategories.rbegin(); c != memory::kCategories.rend(); ++c) {
        if (predicted.peakByCategory[*c] != 0 || result.peakByCategory[*c] != 0) {
            rows.push_back(bytesRow(categoryText(*c), kLight.category[static_cast<std::size_t>(*c)],
                                    predicted.peakByCategory[*c], result.peakByCategory[*c]));
        }
    }
    rows.push_back(
        bytesRow("peak memory", {}, predicted.expected, result.peakAllocated, rangeNote(predicted)));
    if (std::isfinite(predicted.step) && predicted.step > 0) {
        rows.push_back(stepRow(predicted, result.stepMs));
    }
    return {{{"at the peak", false}, {"estimate", true}, {"measured", true}, {"difference", true}},
            std::move(rows)};
}

/// A table of the layers whose activations differ, the largest differences first.
Parts layersTable(const wire::Predicted& predicted, const wire::RunResult& result) {
    constexpr std::size_t kMost = 20;
    if (result.layers.empty() || predicted.activationBytes.size() != result.layers.size()) {
        return {};
    }
    const auto gap = [&](std::size_t i) {
        return std::llabs(predicted.activationBytes[i] - result.layers[i].activationBytes);
    };
    std::vector<std::size_t> differing;
    std::size_t unreached = 0;  // of a run that ended in its first step
    for (std::size_t i = 0; i < result.layers.size(); ++i) {
        if (result.stepMs.n == 0 && result.layers[i].activationBytes == 0 && gap(i) != 0) {
            ++unreached;
        } else if (gap(i) != 0) {
            differing.push_back(i);
        }
    }
    if (differing.empty() && unreached == 0) {
        return {report::note("The activations of every layer are as predicted, to the byte.")};
    }
    std::stable_sort(differing.begin(), differing.end(),
                     [&](std::size_t a, std::size_t b) { return gap(a) > gap(b); });
    std::vector<TableRow> rows;
    for (std::size_t i = 0; i < std::min(kMost, differing.size()); ++i) {
        const wire::LayerCost& layer = result.layers[differing[i]];
        rows.push_back(
            bytesRow(layer.name, {}, predicted.activationBytes[differing[i]], layer.activationBytes));
    }
    const std::size_t equal = result.layers.size() - differing.size() - unreached,
                      more = differing.size() - rows.size();
    std::string note = equal == 1 ? "The activations of one other layer are"
                                  : fmt::format("The activations of {} other layers are", equal);
    note = equal > 0 ? note + " as predicted, to the byte." : "";
    if (more > 0) {
        note += fmt::format(" {} more differ by less.", more);
    }
    if (unreached > 0) {
        note += fmt::format(" {} not reached.",
                            unreached == 1 ? "1 layer was" : fmt::format("{} layers were", unreached));
    }
    Parts out;
    if (!rows.empty()) {
        out.push_back(
            Table{{{"activations", false}, {"estimate", true}, {"measured", true}, {"difference", true}},
                  std::move(rows)});
    }
    if (!note.empty()) {
        out.push_back(report::note(note));
    }
    return out;
}

}  // namespace

Parts predictedSection(const Facts& facts, int level) {
    const wire::RunResult& result = facts.result();
    if (!result.predicted || result.peakAllocated <= 0) {
        return {};
    }
    const wire::Predicted& predicted = *result.predicted;
    Parts out = {heading(level, "Predicted and measured")};
    out.push_back(paragraph(fmt::format(
        "Predicted for {} before the run began: an estimate{}.", predicted.target,
        predicted.exact() && predicted.guesses.empty() ? " that follows from rules and measured rows alone"
                                                       : "")));
    if (result.stepMs.n == 0) {
        out.push_back(
            note("No step was completed: the measurements are from before the run ended, and the prediction "
                 "is for whole steps."));
    }
    out.push_back(totalsTable(predicted, result));
    add(out, layersTable(predicted, result));
    if (!predicted.guesses.empty()) {
        out.push_back(paragraph("Assumptions:"));
        out.push_back(List{predicted.guesses});
    }
    return out;
}

std::string footerSentence(const std::vector<Facts>& runs) {
    const auto pretended = std::count_if(runs.begin(), runs.end(), std::mem_fn(&Facts::pretended));
    if (pretended > 0 && pretended == std::ssize(runs)) {
        return "All figures are of a pretended GPU; none was measured.";
    }
    const std::string most = pretended > 0 ? "Figures of pretended runs were not measured. " : "";
    const bool estimates = std::any_of(
        runs.begin(), runs.end(), [](const Facts& facts) { return !predictedSection(facts, 2).empty(); });
    return most + (estimates       ? "Figures called an estimate were predicted; all others were measured."
                   : pretended > 0 ? "All others were measured; none is an estimate."
                                   : "All figures were measured; none is an estimate.");
}

}  // namespace highwater::report
