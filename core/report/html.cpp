#include <fmt/format.h>

#include "core/base/text.h"
#include "core/report/charts.h"
#include "core/report/escape.h"
#include "core/report/page.h"
#include "core/report/report.h"
#include "core/report/run_sections.h"
#include "core/runs/compare.h"

namespace highwater::report {
namespace {

std::string runBody(const Facts& facts, const ReportInput* scanFrom, const std::string& prefix,
                    const std::string& heading) {
    std::string out = metaLine(facts) + failureBanner(facts) + headlineCards(facts) + setupParagraph(facts);
    if (scanFrom) {
        out += scanSection(facts, *scanFrom, heading);
    }
    return out + memorySection(facts, prefix, heading) + deviceSection(facts, prefix, heading) +
           timeSection(facts, prefix, heading) + predictedSection(facts, heading) +
           stackSection(facts, prefix, heading) + machineSection(facts, heading) +
           againSection(facts, heading);
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

std::string comparisonTable(const std::vector<Facts>& runs) {
    std::vector<TableRow> rows;
    for (const Facts& facts : runs) {
        const runs::RunSummary& s = facts.run->summary;
        const wire::RunResult& r = facts.result();
        const bool first = &facts == &runs.front();
        const runs::Comparison against =
            first ? runs::Comparison{} : runs::compare(*facts.run, *runs.front().run);
        rows.push_back({{runTitle(s), "", "name", first ? "" : differencesText(against.differences)},
                        {r.peakAllocated > 0 ? base::formatBytes(r.peakAllocated) : "—", ""},
                        {stepCell(r.stepMs), ""},
                        {r.stepMs.n > 0 ? base::formatNumber(r.throughput) : "—", ""},
                        {statusText(s.status), "", "nowrap"},
                        {first ? "—" : runs::describe(against), ""}});
    }
    const int number = runs.front().run->summary.number;
    return table({{"run", false},
                  {"peak", true},
                  {"step time (95 %)", true},
                  {"samples/s", true},
                  {"status", false},
                  {number > 0 ? fmt::format("against #{}", number) : "against the first", false}},
                 rows);
}

std::string several(const std::vector<Facts>& runs, const ReportInput& input) {
    std::string body = fmt::format("<h1>{} runs compared</h1>\n", runs.size());
    body += comparisonTable(runs) + figure(runPeaksChart(runs), "all");
    for (std::size_t i = 0; i < runs.size(); ++i) {
        body += fmt::format("<article>\n<h2>{}</h2>\n{}</article>\n", escape(runTitle(runs[i].run->summary)),
                            runBody(runs[i], i == 0 ? &input : nullptr, fmt::format("r{}", i), "h3"));
    }
    return body;
}

}  // namespace

std::string html(const ReportInput& input) {
    std::vector<Facts> runs;
    for (const runs::RunRecord& run : input.runs) {
        runs.push_back(factsOf(run));
    }
    std::string body = "<p class=\"eyebrow\">Highwater report</p>\n", title = "Highwater report";
    if (runs.size() == 1) {
        const std::string& name = runs.front().run->summary.name;
        title = name.empty() ? "Unnamed experiment" : name;
        body += "<h1>" + escape(title) + "</h1>\n" + runBody(runs.front(), &input, "r0", "h2");
    } else if (!runs.empty()) {
        title = fmt::format("{} runs compared", runs.size());
        body += several(runs, input);
    }
    body += "<footer>" + footerSentence(runs);
    if (!input.created.empty()) {
        body += " Report made " + escape(input.created) + ".";
    }
    return page(title, body + "</footer>\n");
}

}  // namespace highwater::report
