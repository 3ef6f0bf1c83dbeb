#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/base/json_reader.h"
#include "core/base/text.h"
#include "core/plan/prediction_json.h"
#include "core/plan/prediction_words.h"
#include "core/report/fit_rows.h"
#include "core/report/portable.h"
#include "core/report/predicted_step.h"
#include "core/report/prediction_report.h"
#include "core/report/scatter_chart.h"
#include "core/stack/json/json.h"

namespace highwater::report {
namespace {

using base::formatBytes;

const plan::Plan& chosenOf(const PlanInput& input) {
    return input.curve.plans[input.chosen];
}

base::Bytes limitOf(const PlanInput& input) {
    return input.budget.value_or(input.capacity);
}

bool withinLimit(const PlanInput& input, const plan::Plan& plan) {
    return plan::isWithin(plan, input.target, input.budget);
}

std::string slowerText(const plan::Plan& plan) {
    return fmt::format("{:+.1f} %", 100 * plan.slower);
}

Cards planCards(const PlanInput& input) {
    const plan::Plan& chosen = chosenOf(input);
    const plan::Plan& before = input.curve.asItIs;
    const bool within = withinLimit(input, chosen);
    Card verdict{"Verdict", within ? "Fits" : verdictWords(chosen.fit)};
    verdict.wide = true;
    verdict.tone = within ? Tone::Good : fitTone(chosen.fit.fits);
    verdict.notes = {input.headline.empty() ? plan::headline(chosen) : input.headline};
    if (limitOf(input) > 0) {
        verdict.notes.push_back(fmt::format("{}: {}", input.budget ? "Budget" : "Memory left to a run",
                                            formatBytes(limitOf(input))));
    }
    const predict::Estimate& peak = chosen.fit.peak;
    Card memory{input.target.gpu ? "Peak memory, reserved" : "Peak memory", formatBytes(peak.expected)};
    memory.notes = {fmt::format("instead of {}", formatBytes(before.fit.peak.expected))};
    if (const std::string range = plan::rangeText(peak); !range.empty()) {
        memory.notes.push_back("range: " + range);
    }
    if (chosen.fit.onHost > 0) {
        memory.notes.push_back(formatBytes(chosen.fit.onHost) + " wait in the host's memory");
    }
    Card time{"Step time", orDash(plan::stepText(chosen.fit.stepMs))};
    time.notes = {
        fmt::format("instead of {} ({})", orDash(plan::stepText(before.fit.stepMs)), slowerText(chosen)),
        "an estimate"};
    return {{std::move(verdict), std::move(memory), std::move(time), sizeCard(chosen.experiment)}};
}

/// What the figures rest on.
Parts planAssumptions(const PlanInput& input) {
    const plan::DeviceFit& fit = chosenOf(input).fit;
    List list;
    if (!fit.basis.empty()) {
        list.items.push_back("Workspaces " + fit.basis + ".");
    }
    if (fit.atLeast) {
        list.items.emplace_back("Some operators are unknown: it needs at least this much.");
    }
    list.items.push_back(fit.exact ? "Memory is exact; times are estimates."
                                   : "Memory and times are estimates.");
    if (input.target.others > 0) {
        list.items.push_back(
            fmt::format("Other programs use {} of the device.", formatBytes(input.target.others)));
    }
    return {heading(2, "Assumptions"), std::move(list)};
}

TableRow planRow(const PlanInput& input, const plan::Plan& plan, const std::string& name, bool bold) {
    const bool within = withinLimit(input, plan), over = !within && plan.fit.fits == predict::Fits::Yes;
    return {{.text = name, .fit = Fit::Wide, .bold = bold},
            {.text = plan::needText(plan.fit.peak, plan.fit.atLeast, plan.fit.atMost), .bold = bold},
            {orDash(plan::rangeText(plan.fit.peak))},
            {.text = over ? "over the budget" : plan::verdictText(plan.fit),
             .tone = within ? Tone::Good
                     : over ? Tone::Warning
                            : fitTone(plan.fit.fits)},
            {orDash(plan::stepText(plan.fit.stepMs))},
            {slowerText(plan)}};
}

Table planTable(const PlanInput& input) {
    std::vector<TableRow> rows = {planRow(input, input.curve.asItIs, "unchanged", false)};
    for (std::size_t i = 0; i < input.curve.plans.size(); ++i) {
        const plan::Plan& plan = input.curve.plans[i];
        if (!plan.changes.empty()) {
            rows.push_back(planRow(input, plan, plan::headline(plan), i == input.chosen));
        }
    }
    return {{{"plan"}, {"needs", true}, {"range", true}, {"verdict"}, {"per step", true}, {"time", true}},
            std::move(rows)};
}

Chart planChart(const PlanInput& input) {
    Scatter scatter;
    scatter.title = "Memory against time of every plan";
    scatter.unit = "%";
    scatter.bytesName = input.target.gpu ? "reserved memory" : "allocated memory";
    scatter.yName = "time of a step, relative to the unchanged step";
    scatter.limit = static_cast<double>(limitOf(input));
    scatter.limitName = input.budget ? "budget " + formatBytes(*input.budget)
                                     : fmt::format("left on {}", deviceOf(input.target));
    const auto dotOf = [&](const plan::Plan& plan, const char* label, bool chosen) {
        Scatter::Dot dot{static_cast<double>(plan::counted(plan.fit, input.target)), 100 * plan.slower};
        dot.label = label;
        dot.kind = chosen                     ? Scatter::Kind::Chosen
                   : withinLimit(input, plan) ? Scatter::Kind::Best
                                              : Scatter::Kind::Plain;
        scatter.dots.push_back(std::move(dot));
    };
    bool unchanged = false;  // the experiment as it is may be beaten by a plan in both
    for (std::size_t i = 0; i < input.curve.plans.size(); ++i) {
        const plan::Plan& plan = input.curve.plans[i];
        unchanged = unchanged || plan.changes.empty();
        dotOf(plan,
              i == input.chosen      ? "chosen"
              : plan.changes.empty() ? "unchanged"
                                     : "",
              i == input.chosen);
    }
    scatter.joined = scatter.dots.size();
    if (!unchanged) {
        dotOf(input.curve.asItIs, "unchanged", false);
    }
    scatter.legend = {input.budget ? "not within the budget" : "does not surely fit", "fits", "chosen"};
    return scatterChart(std::move(scatter));
}

std::string actionText(int forwards, bool offloaded) {
    return offloaded      ? "offloaded to host memory"
           : forwards > 2 ? fmt::format("recomputed {} times", forwards - 1)
           : forwards > 1 ? "recomputed"
                          : "kept";
}

/// What the plan does with each layer.
Parts actionsPart(const plan::Plan& plan) {
    const auto info = stack::inferShapes(plan.experiment);
    if (!info) {
        return {};
    }
    const std::vector<int> forwards = plan::forwardsOf(plan.experiment, *info);
    const std::vector<bool> offloaded = plan::offloadedOf(plan.experiment, *info);
    std::vector<TableRow> rows;
    for (std::size_t i = 0; i < info->layers.size(); ++i) {
        const stack::LayerInfo& layer = info->layers[i];
        const bool plain = forwards[i] == 1 && !offloaded[i];
        rows.push_back({{.text = layer.name, .fit = Fit::NoWrap, .indent = std::min(layer.depth, 3)},
                        {base::formatShapeShort(layer.output)},
                        {.text = layer.type == "block" ? "" : actionText(forwards[i], offloaded[i]),
                         .tone = plain ? Tone::Muted : Tone::Plain}});
    }
    return {heading(2, "What each layer does"),
            Table{{{"layer"}, {"output", true}, {"for the backward pass"}}, std::move(rows)}};
}

Parts stepsPart(const PlanInput& input) {
    const std::pair<const plan::Plan*, const std::optional<predict::Prediction>*> steps[] = {
        {&input.curve.asItIs, &input.before}, {&chosenOf(input), &input.after}};
    Parts out;
    for (const auto& [plan, step] : steps) {
        const bool before = plan == &input.curve.asItIs;
        if (const auto info = stack::inferShapes(plan->experiment); info && *step) {
            out.push_back(heading(2, before ? "The unchanged step" : "The step with the plan"));
            add(out, stepPart(**step, *info, before ? "Memory within the unchanged step" : "With the plan",
                              before ? "before" : "after"));
        }
    }
    return out;
}

Document planDocument(const PlanInput& input) {
    const plan::Plan& chosen = chosenOf(input);
    Document document;
    document.title = titleOf(chosen.experiment);
    document.created = input.created;
    Parts& out = document.head;
    out = {paragraph("Highwater report · a plan", Paragraph::Kind::Eyebrow), heading(1, document.title),
           paragraph(fmt::format("Planned for {}; nothing was executed", plan::targetText(input.target)),
                     Paragraph::Kind::Meta),
           planCards(input), heading(2, "What changes")};
    if (chosen.changes.empty()) {
        out.push_back(paragraph("Nothing: the experiment is unchanged."));
    } else {
        out.push_back(List{chosen.changes});
    }
    add(out, planAssumptions(input));
    add(out, {heading(2, "All plans"), Figure{planChart(input), "curve"}, planTable(input)});
    add(out, stepsPart(input));
    add(out, actionsPart(chosen));
    add(out, experimentPart(chosen.experiment,
                            "highwater-cli predict experiment.json " + targetOptions(input.target)));
    document.footer = estimatesFooter(input.created);
    return document;
}

std::string planCsv(const PlanInput& input) {
    std::vector<FitRow> rows = {fitRow(input.curve.asItIs.experiment, input.target, input.curve.asItIs.fit)};
    for (const plan::Plan& plan : input.curve.plans) {
        if (!plan.changes.empty()) {
            rows.push_back(fitRow(plan.experiment, input.target, plan.fit, plan::headline(plan)));
        }
    }
    return fitCsv(rows);
}

std::string planText(const PlanInput& input) {
    nlohmann::ordered_json plans = nlohmann::ordered_json::array();
    for (const plan::Plan& plan : input.curve.plans) {
        plans.push_back(plan::planJson(plan));
    }
    const nlohmann::ordered_json document = {
        {"schema", "highwater.report/1"},
        {"experiment", stack::toJson(portable(chosenOf(input).experiment))},
        {"plans",
         {{"target", input.target.id},
          {"as_it_is", plan::planJson(input.curve.asItIs)},
          {"curve", std::move(plans)}}},
        {"chosen", input.chosen}};
    return base::jsonText(document, 2) + "\n";
}

}  // namespace

Content contentOf(const PlanInput& input) {
    return {[&] { return planDocument(input); }, [&] { return planCsv(input); },
            [&] { return planText(input); }};
}

}  // namespace highwater::report
