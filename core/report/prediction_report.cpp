#include "core/report/prediction_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "core/base/json_reader.h"
#include "core/base/text.h"
#include "core/plan/prediction_json.h"
#include "core/plan/prediction_words.h"
#include "core/report/charts.h"
#include "core/report/fit_rows.h"
#include "core/report/portable.h"
#include "core/report/predicted_step.h"
#include "core/report/words.h"
#include "core/stack/json/json.h"

namespace highwater::report {
namespace {

using base::formatBytes;
using predict::Prediction;

plan::DeviceFit fitOf(const PredictionInput& input) {
    return plan::fitOf(input.prediction, input.target.gpu.has_value());
}

std::string percentText(base::Bytes part, base::Bytes whole) {
    return whole > 0 ? fmt::format("{:.1f} %", 100.0 * static_cast<double>(part) / static_cast<double>(whole))
                     : "";
}

Card verdictCard(const PredictionInput& input) {
    const Prediction& p = input.prediction;
    const plan::DeviceFit fit = fitOf(input);
    Card card{"Verdict", verdictWords(fit)};
    card.wide = true;
    card.tone = p.capacity > 0 ? fitTone(p.fits) : Tone::Warning;
    if (p.capacity > 0) {
        card.notes.push_back(fmt::format("{} is left{}; odds of running out {}", formatBytes(p.capacity),
                                         plan::besideText(input.target), plan::oddsText(p)));
    }
    if (!p.outOfMemory.empty()) {
        card.notes.push_back("It runs out: " + p.outOfMemory);
    }
    if (input.budget) {
        const plan::Predicted predicted{input.info, input.target, p, input.experiment.step.batchSize, nullptr,
                                        nullptr,    input.budget};
        card.notes.push_back(fmt::format("{} the budget of {}",
                                         predicted.withinBudget() ? "Within" : "Not certainly within",
                                         formatBytes(*input.budget)));
    }
    return card;
}

Card peakCard(const PredictionInput& input) {
    const Prediction& p = input.prediction;
    const bool reserves = input.target.gpu && p.peakReserved.expected > 0;
    const predict::Estimate peak = plan::countedPeak(p, reserves);
    Card card{reserves ? "Peak memory, reserved" : "Peak memory",
              p.atLeast() || p.atMost() ? plan::needText(peak, p.atLeast(), p.atMost())
                                        : formatBytes(peak.expected)};
    card.wide = true;
    card.split = ledgerSplit(p.peakByCategory);
    const std::string range = plan::rangeText(peak);
    card.notes.push_back(!range.empty()      ? "Range: " + range
                         : p.guesses.empty() ? "Exact: it follows from rules and measured rows"
                                             : "An estimate without a range; see the assumptions");
    card.notes.push_back(
        fmt::format("Reached {}{}", plan::whereText(p, input.info),
                    reserves ? "; tensors use " + formatBytes(p.peakAllocated.expected) : ""));
    if (reserves && p.maxMemoryAllocated.expected > 0 && p.outOfMemory.empty()) {
        card.notes.push_back(fmt::format("In whole blocks {}, as torch.cuda.max_memory_allocated() counts",
                                         plan::needText(p, p.maxMemoryAllocated)));
    }
    if (p.onHost > 0) {
        card.notes.push_back(formatBytes(p.onHost) + " wait in the host's memory");
    }
    return card;
}

Cards predictionCards(const PredictionInput& input) {
    const predict::TimeEstimate& step = input.prediction.stepMs;
    Cards cards{{verdictCard(input), peakCard(input)}};
    Card time{"Step time", step.expected > 0 ? base::formatMillis(step.expected) : "not predicted"};
    if (step.expected > 0) {
        time.notes = {fmt::format("an estimate, from {} to {}", base::formatMillis(step.low),
                                  base::formatMillis(step.high))};
    }
    cards.cards.push_back(std::move(time));
    cards.cards.push_back(sizeCard(input.experiment));
    cards.cards.push_back({"Network",
                           base::counted(layerCount(input.info), "layer"),
                           {base::formatCount(input.info.parameters) + " parameters"}});
    return cards;
}

std::string contextText(const predict::DeviceProfile& gpu) {
    using Profile = predict::DeviceProfile;
    const std::string bytes = plan::bandText(gpu.context);
    return fmt::format("{}, {}", bytes,
                       gpu.contextKept == Profile::Kept::Given      ? "as given"
                       : gpu.contextKept == Profile::Kept::Measured ? "measured on this machine"
                       : gpu.contextSource == Profile::Source::Measured
                           ? "measured on such a GPU"
                           : "assumed for this generation of GPUs");
}

Definitions predictedFor(const PredictionInput& input) {
    const predict::Target& target = input.target;
    Definitions list{{{"device", plan::targetText(target)}}};
    if (target.memory > 0) {
        list.terms.emplace_back("its memory", formatBytes(target.memory));
    }
    if (target.gpu) {
        list.terms.emplace_back("CUDA context", contextText(*target.gpu));
    }
    if (target.others > 0) {
        list.terms.emplace_back("other programs", formatBytes(target.others));
    }
    if (!input.experiment.backend.allocConf.empty()) {
        list.terms.emplace_back("allocator", input.experiment.backend.allocConf);
    }
    if (target.ranks.count > 1) {
        list.terms.emplace_back(
            "ranks", fmt::format("{}; each needs this memory, and a step has {} samples", target.ranks.count,
                                 target.ranks.count * input.experiment.step.batchSize));
    }
    list.terms.emplace_back("training", setupText(input.experiment));
    return list;
}

/// What is a guess, and what the rest is based on.
Parts assumptionsPart(const PredictionInput& input) {
    const Prediction& p = input.prediction;
    std::vector<std::string> lines;
    if (!p.basis.empty()) {
        lines.push_back("Workspaces " + p.basis + ".");
    }
    for (const std::string& guess : p.guesses) {
        lines.push_back("A guess: " + guess + (guess.ends_with('.') ? "" : "."));
    }
    lines.insert(lines.end(), input.remarks.begin(), input.remarks.end());
    Parts out = {heading(2, "Assumptions")};
    if (lines.empty()) {
        out.push_back(
            paragraph("None: memory follows from the rules of the allocator and of the operators, "
                      "and from measured rows. The time is an estimate."));
    } else {
        out.push_back(List{std::move(lines)});
    }
    return out;
}

Table categoryTable(const Prediction& p) {
    const base::Bytes total = p.peakByCategory.total();
    std::vector<TableRow> rows;
    for (auto c = memory::kCategories.rbegin(); c != memory::kCategories.rend(); ++c) {
        if (p.peakByCategory[*c] > 0 || p.atEnd[*c] > 0) {
            rows.push_back({{categoryText(*c), kLight.category[static_cast<std::size_t>(*c)]},
                            {formatBytes(p.peakByCategory[*c])},
                            {percentText(p.peakByCategory[*c], total)},
                            {formatBytes(p.atEnd[*c])}});
        }
    }
    rows.push_back(
        {{"total"}, {formatBytes(total)}, {percentText(total, total)}, {formatBytes(p.atEnd.total())}});
    return {{{"category"}, {"at the peak", true}, {"share", true}, {"after the step", true}},
            std::move(rows),
            true};
}

/// The layers with the most memory at the peak.
Parts ownersPart(const PredictionInput& input) {
    constexpr std::size_t kMost = 20;
    const auto& layers = input.prediction.layers;
    std::vector<std::size_t> order(std::min(layers.size(), input.info.layers.size()));
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::erase_if(
        order, [&](std::size_t i) { return input.info.layers[i].type == "block" || layers[i].atPeak == 0; });
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return layers[a].atPeak > layers[b].atPeak; });
    const base::Bytes total = input.prediction.peakByCategory.total();
    std::vector<TableRow> rows;
    for (std::size_t i = 0; i < std::min(order.size(), kMost); ++i) {
        const stack::LayerInfo& info = input.info.layers[order[i]];
        const base::Bytes bytes = layers[order[i]].atPeak;
        rows.push_back({{.text = info.name, .fit = Fit::NoWrap},
                        {base::formatShapeShort(info.output)},
                        {formatBytes(bytes)},
                        {percentText(bytes, total)}});
    }
    if (rows.empty()) {
        return {};
    }
    Parts out = {
        Table{{{"layer"}, {"output", true}, {"at the peak", true}, {"share", true}}, std::move(rows)}};
    if (order.size() > kMost) {
        out.push_back(note(fmt::format("{} smaller ones are left out.", order.size() - kMost)));
    }
    return out;
}

Parts cliffsPart(const Prediction& p) {
    if (p.cliffs.empty()) {
        return {};
    }
    List list;
    for (const predict::Cliff& cliff : p.cliffs) {
        list.items.push_back(cliff.message);
    }
    return {heading(2, "Cliffs"), std::move(list)};
}

std::vector<wire::LayerCost> costsOf(const PredictionInput& input) {
    std::vector<wire::LayerCost> costs;
    const auto& layers = input.prediction.layers;
    for (std::size_t i = 0; i < std::min(layers.size(), input.info.layers.size()); ++i) {
        wire::LayerCost cost;
        cost.name = input.info.layers[i].name;
        cost.type = input.info.layers[i].type;
        cost.activationBytes = layers[i].activationBytes;
        cost.forwardMs = layers[i].forwardMs.expected;
        cost.backwardMs = layers[i].backwardMs.expected;
        costs.push_back(std::move(cost));
    }
    return costs;
}

Parts layersPart(const PredictionInput& input) {
    const std::vector<ListedLayer> listedLayers = listed(input.experiment.stack);
    const std::vector<wire::LayerCost> costs = costsOf(input);
    const bool match = listedLayers.size() == costs.size();
    std::vector<TableRow> rows;
    for (std::size_t i = 0; i < costs.size(); ++i) {
        const stack::LayerInfo& info = input.info.layers[i];
        rows.push_back(
            {{.text = info.name, .fit = Fit::NoWrap, .indent = std::clamp(info.depth, 0, 3)},
             {.text = match ? optionsText(*listedLayers[i].layer, input.experiment.step.checkpoint.kind)
                            : info.type,
              .fit = Fit::Wide},
             {base::formatShapeShort(info.output)},
             {base::formatCount(info.parameters)},
             {formatBytes(costs[i].activationBytes)},
             {base::formatMillis(costs[i].forwardMs)},
             {base::formatMillis(costs[i].backwardMs)}});
    }
    return {heading(2, "Layers"), Figure{layersChart(costs), "layers"},
            Table{{{"layer"},
                   {"options"},
                   {"output", true},
                   {"parameters", true},
                   {"activations", true},
                   {"forward", true},
                   {"backward", true}},
                  std::move(rows)}};
}

Document predictionDocument(const PredictionInput& input) {
    Document document;
    document.title = titleOf(input.experiment);
    document.created = input.created;
    Parts& out = document.head;
    out = {paragraph("Highwater report · a prediction", Paragraph::Kind::Eyebrow), heading(1, document.title),
           paragraph(fmt::format("Predicted for {}; nothing was executed", plan::targetText(input.target)),
                     Paragraph::Kind::Meta),
           predictionCards(input), predictedFor(input)};
    add(out, assumptionsPart(input));
    out.push_back(heading(2, "Memory within a step"));
    add(out, stepPart(input.prediction, input.info, "Memory within a step, by category", "step"));
    out.push_back(categoryTable(input.prediction));
    add(out, ownersPart(input));
    add(out, cliffsPart(input.prediction));
    add(out, layersPart(input));
    add(out, experimentPart(input.experiment,
                            "highwater-cli predict experiment.json " + targetOptions(input.target)));
    document.footer = estimatesFooter(input.created);
    return document;
}

std::string predictionText(const PredictionInput& input) {
    const plan::Predicted predicted{
        input.info, input.target, input.prediction, input.experiment.step.batchSize,
        nullptr,    nullptr,      input.budget};
    const nlohmann::ordered_json document = {{"schema", "highwater.report/1"},
                                             {"experiment", stack::toJson(portable(input.experiment))},
                                             {"prediction", plan::predictionJson(predicted)}};
    return base::jsonText(document, 2) + "\n";
}

}  // namespace

Content contentOf(const PredictionInput& input) {
    return {[&] { return predictionDocument(input); },
            [&] { return fitCsv({fitRow(input.experiment, input.target, fitOf(input))}); },
            [&] { return predictionText(input); }};
}

}  // namespace highwater::report
