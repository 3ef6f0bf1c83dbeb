#include <fmt/format.h>

#include "core/base/text.h"
#include "core/report/charts.h"
#include "core/report/report.h"
#include "core/report/run_sections.h"
#include "core/report/words.h"
#include "core/runs/compare.h"

namespace highwater::report {
namespace {

Parts runBody(const Facts& facts, const ReportInput* scanFrom, const std::string& prefix, int level) {
    Parts out = metaLine(facts);
    add(out, failureBanner(facts));
    out.push_back(headlineCards(facts));
    out.push_back(setupParagraph(facts));
    if (scanFrom) {
        add(out, scanSection(facts, *scanFrom, level));
    }
    add(out, memorySection(facts, prefix, level));
    add(out, deviceSection(facts, prefix, level));
    add(out, timeSection(facts, prefix, level));
    add(out, predictedSection(facts, level));
    add(out, stackSection(facts, prefix, level));
    add(out, machineSection(facts, level));
    add(out, againSection(facts, level));
    return out;
}

std::string anchorOf(std::size_t run) {
    return fmt::format("r{}", run);
}

std::string differencesText(const std::vector<std::string>& differences) {
    constexpr std::size_t kMost = 8;
    std::string text;
    for (std::size_t i = 0; i < std::min(differences.size(), kMost); ++i) {
        text += (i ? "; " : "") + differences[i];
    }
    if (differences.size() > kMost) {
        text += fmt::format("; and {} more", differences.size() - kMost);
    }
    return text;
}

/// A median of a step or two has no 95 % interval, as the column says.
std::string stepCell(const base::Interval& time) {
    if (time.n < runs::kFewestSteps) {
        return time.n > 0
                   ? fmt::format("{} ({})", base::formatMillis(time.median), base::counted(time.n, "step"))
                   : "—";
    }
    return fmt::format("{} ({} to {})", base::formatMillis(time.median), base::formatMillis(time.low),
                       base::formatMillis(time.high));
}

Table comparisonTable(const std::vector<Facts>& runs) {
    std::vector<TableRow> rows;
    for (const Facts& facts : runs) {
        const runs::RunSummary& s = facts.run->summary;
        const wire::RunResult& r = facts.result();
        const bool first = &facts == &runs.front();
        const runs::Comparison against =
            first ? runs::Comparison{} : runs::compare(*facts.run, *runs.front().run);
        rows.push_back({{.text = runTitle(s),
                         .note = first ? "" : differencesText(against.differences),
                         .fit = Fit::Name,
                         .link = anchorOf(rows.size())},
                        {r.peakAllocated > 0 ? base::formatBytes(r.peakAllocated) : "—"},
                        {stepCell(r.stepMs)},
                        {r.stepMs.n > 0 ? base::formatNumber(r.throughput) : "—"},
                        {.text = statusText(s.status), .fit = Fit::NoWrap},
                        {first ? "—" : runs::describe(against)}});
    }
    const int number = runs.front().run->summary.number;
    return {{{"run", false},
             {"peak", true},
             {"step time (95 %)", true},
             {"samples/s", true},
             {"status", false},
             {number > 0 ? fmt::format("against #{}", number) : "against the first", false}},
            std::move(rows)};
}

void addSeveral(Document& document, const std::vector<Facts>& runs, const ReportInput& input) {
    document.head.push_back(heading(1, document.title));
    document.head.push_back(comparisonTable(runs));
    document.head.push_back(Figure{runPeaksChart(runs), "all"});
    for (std::size_t i = 0; i < runs.size(); ++i) {
        Section section{anchorOf(i), true, {heading(2, runTitle(runs[i].run->summary))}};
        add(section.parts, runBody(runs[i], i == 0 ? &input : nullptr, anchorOf(i), 3));
        document.sections.push_back(std::move(section));
    }
}

}  // namespace

Document runsDocument(const ReportInput& input) {
    std::vector<Facts> runs;
    for (const runs::RunRecord& run : input.runs) {
        runs.push_back(factsOf(run));
    }
    Document document;
    document.title = "Highwater report";
    document.created = input.created;
    document.head.push_back(paragraph("Highwater report", Paragraph::Kind::Eyebrow));
    if (runs.size() == 1) {
        const std::string& name = runs.front().run->summary.name;
        document.title = name.empty() ? "Unnamed experiment" : name;
        document.head.push_back(heading(1, document.title));
        add(document.head, runBody(runs.front(), &input, anchorOf(0), 2));
    } else if (!runs.empty()) {
        document.title = fmt::format("{} runs compared", runs.size());
        addSeveral(document, runs, input);
    }
    document.footer = footerSentence(runs);
    if (!input.created.empty()) {
        document.footer += " Report made " + readableTime(input.created) + ".";
    }
    return document;
}

}  // namespace highwater::report
