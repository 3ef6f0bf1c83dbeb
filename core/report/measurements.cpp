#include <fmt/format.h>

#include "core/base/text.h"
#include "core/report/charts.h"
#include "core/report/run_sections.h"
#include "core/runs/compare.h"
#include "core/wire/gpu_words.h"

namespace highwater::report {
namespace {

std::string percent(double part, double whole) {
    return whole > 0 ? fmt::format("{:.1f} %", 100 * part / whole) : "";
}

Table ledgerTable(const Facts& facts) {
    const memory::Ledger& peak = facts.result().peakByCategory;
    const bool failed = facts.failure && facts.failure->ledger.total() > 0;
    const memory::Ledger& end = failed ? facts.failure->ledger : facts.result().atEnd;
    const auto total = static_cast<double>(peak.total());
    std::vector<TableRow> rows;
    for (auto c = memory::kCategories.rbegin(); c != memory::kCategories.rend(); ++c) {
        rows.push_back({{categoryText(*c), kLight.category[static_cast<std::size_t>(*c)]},
                        {base::formatBytes(peak[*c])},
                        {percent(static_cast<double>(peak[*c]), total)},
                        {base::formatBytes(end[*c])}});
    }
    rows.push_back({{"total"},
                    {base::formatBytes(peak.total())},
                    {percent(total, total)},
                    {base::formatBytes(end.total())}});
    return {{{"ledger", false},
             {"at the peak", true},
             {"share", true},
             {failed ? "when it failed" : "after the last step", true}},
            std::move(rows),
            true};
}

Table phaseTable(const Facts& facts) {
    const wire::PhaseTimes& p = facts.result().phasesMs;
    const std::array<double, 5> times = p.inOrder();
    const wire::PhaseTimes& h = facts.result().hostMs;
    const std::array<double, 6> host = {h.data, h.forward, h.recompute, h.backward, h.optimizer, h.total()};
    const bool gpu = h.total() > 0;
    std::vector<std::vector<double>> perStep(5);
    for (const wire::StepDone* step : facts.steps) {
        if (!step->timed()) {
            continue;
        }
        const std::array<double, 5> values = step->phases.inOrder();
        for (std::size_t i = 0; i < 5; ++i) {
            perStep[i].push_back(values[i]);
        }
    }
    const auto row = [](std::string name, std::optional<Rgb> before, double median,
                        const base::Interval& interval, double whole) -> TableRow {
        return {{std::move(name), before},
                {base::formatMillis(median)},
                {interval.n > 0 ? fmt::format("{} to {}", base::formatMillis(interval.low),
                                              base::formatMillis(interval.high))
                                : ""},
                {percent(median, whole)}};
    };
    std::vector<TableRow> rows;
    for (std::size_t i = 0; i < 5; ++i) {
        rows.push_back(row(std::string(memory::phaseKey(memory::kStepPhases[i])), kLight.phase[i], times[i],
                           base::medianWithInterval(perStep[i]), p.total()));
    }
    const base::Interval& step = facts.result().stepMs;
    rows.push_back(row("whole step", {}, step.median, step, 0));
    const bool whole = step.n >= runs::kFewestSteps;
    std::vector<Column> columns = {{"phase", false},
                                   {gpu ? "median in the GPU" : "median", true},
                                   {whole ? "95 % interval" : "range", true},
                                   {"share", true}};
    if (gpu) {
        columns.push_back({"median in the host", true});
        for (std::size_t i = 0; i < rows.size(); ++i) {
            rows[i].push_back({base::formatMillis(host[i])});
        }
    }
    return {std::move(columns), std::move(rows), true};
}

}  // namespace

Parts memorySection(const Facts& facts, const std::string& prefix, int level) {
    Parts out = {heading(level, "Memory")};
    const StackedMemory failure = failureMemory(facts);
    if (!failure.ledgers.empty()) {
        out.push_back(Figure{memoryChart(failure), prefix + "f"});
    }
    if (facts.shown || failure.ledgers.empty()) {
        out.push_back(Figure{memoryChart(stepMemory(facts)), prefix + "m"});
    }
    if (!facts.steps.empty()) {
        out.push_back(FigurePair{{Figure{memoryChart(peaksOverSteps(facts)), prefix + "p"},
                                  Figure{lossChart(facts), prefix + "l"}}});
    }
    out.push_back(ledgerTable(facts));
    return out;
}

Parts timeSection(const Facts& facts, const std::string& prefix, int level) {
    if (facts.pretended()) {
        return {};  // nothing was executed
    }
    Parts out = {heading(level, "Time")};
    if (facts.steps.empty()) {
        out.push_back(paragraph("No step was completed, so there is nothing to time."));
        add(out, conditionsPart(facts));
        return out;
    }
    out.push_back(Figure{phasesChart(facts), prefix + "t"});
    if (facts.result().stepMs.n > 0) {
        const bool whole = facts.result().stepMs.n >= runs::kFewestSteps;
        out.push_back(phaseTable(facts));
        out.push_back(
            note(fmt::format("Medians over the measured steps, each with {}; warm-up steps are "
                             "drawn but not counted.",
                             whole ? "a bootstrap interval" : "the range of so few")));
    }
    const wire::RunResult& result = facts.result();
    if (wire::hostIsSlower(result.phasesMs, result.hostMs)) {
        out.push_back(
            paragraph(fmt::format("The host is the bottleneck: {}. Larger batches, or fewer and larger "
                                  "layers, give it more work at a time.",
                                  wire::kWaitsForHost)));
    }
    add(out, conditionsPart(facts));
    return out;
}

}  // namespace highwater::report
