#include "core/report/claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "core/base/markdown.h"
#include "core/base/text.h"
#include "core/report/claims_chart.h"
#include "core/report/page.h"
#include "core/report/pdf.h"

namespace highwater::report {
namespace {

using study::Verdict;

Tone verdictTone(const ClaimEntry& entry) {
    if (!entry.finding) {
        return Tone::Bad;
    }
    switch (entry.finding->verdict) {
        case Verdict::Holds:
            return Tone::Good;
        case Verdict::DoesNotHold:
            return Tone::Bad;
        case Verdict::Depends:
            return Tone::Warning;
        default:
            return Tone::Muted;
    }
}

std::string verdictText(const ClaimEntry& entry) {
    if (!entry.finding) {
        return entry.problem.empty() ? "not run" : "no verdict";
    }
    std::string text(study::verdictWords(entry.finding->verdict));
    if (entry.finding->noise) {
        text += ", within the noise";
    }
    return entry.finding->boundary.empty() ? text : text + ": " + entry.finding->boundary;
}

/// The anchor of a claim: "S2-memory" for "S2.memory".
std::string anchorOf(const std::string& id) {
    std::string anchor = id;
    std::replace(anchor.begin(), anchor.end(), '.', '-');
    return anchor;
}

/// The machine of the first finding that names one: "cpu, AMD EPYC, 2 threads, avx2, LibTorch 1.13.1".
std::string machineOf(const std::vector<ClaimEntry>& entries) {
    for (const ClaimEntry& entry : entries) {
        if (entry.finding && !entry.finding->libtorch.empty()) {
            const study::Finding& f = *entry.finding;
            return fmt::format("{}{}{}, {}, {}, LibTorch {}", f.device, f.deviceName.empty() ? "" : " · ",
                               f.deviceName, base::counted(f.threads, "thread"), f.isa, f.libtorch);
        }
    }
    return "";
}

Cards countCards(const std::vector<ClaimEntry>& entries) {
    const auto count = [&](Verdict verdict) {
        return std::to_string(std::count_if(entries.begin(), entries.end(), [&](const ClaimEntry& entry) {
            return entry.finding && entry.finding->verdict == verdict;
        }));
    };
    return {{{"Hold", count(Verdict::Holds), {}, Tone::Good},
             {"Do not hold", count(Verdict::DoesNotHold), {}, Tone::Bad},
             {"Depend",
              count(Verdict::Depends),
              {fmt::format("{} not testable here", count(Verdict::NotTestable))},
              Tone::Warning}}};
}

Table verdictTable(const std::vector<ClaimEntry>& entries) {
    std::vector<TableRow> rows;
    std::string row;
    for (const ClaimEntry& entry : entries) {
        rows.push_back({{entry.claim.row == row ? "" : entry.claim.row},
                        {.text = entry.claim.id, .link = anchorOf(entry.claim.id)},
                        {.text = entry.claim.statement, .fit = Fit::Wide},
                        {.text = verdictText(entry), .tone = verdictTone(entry), .bold = true}});
        row = entry.claim.row;
    }
    return {{{"row"}, {"claim"}, {"statement"}, {"verdict"}}, std::move(rows)};
}

Table figureTable(const study::Finding& finding) {
    const bool along = std::any_of(finding.figures.begin(), finding.figures.end(),
                                   [](const study::Figure& figure) { return !figure.at.empty(); });
    std::vector<TableRow> rows;
    for (const study::Figure& figure : finding.figures) {
        const auto quantity = study::parseQuantity(figure.quantity);
        TableRow row = {{figure.label},
                        {quantity ? study::wordsOf(*quantity) : figure.quantity},
                        {figureText(figure)},
                        {std::to_string(figure.value.n)}};
        if (along) {
            row.insert(row.begin() + 1, {figure.at});
        }
        rows.push_back(std::move(row));
    }
    std::vector<Column> columns = {{"experiment"}, {"quantity"}, {"median (95 %)", true}, {"runs", true}};
    if (along) {
        columns.insert(columns.begin() + 1, {"at"});
    }
    return {std::move(columns), std::move(rows)};
}

Section claimSection(const ClaimEntry& entry, std::size_t index) {
    Section section{anchorOf(entry.claim.id)};
    Parts& out = section.parts;
    out.push_back(Heading{
        2,
        {{entry.claim.id + " · "}, {.text = verdictText(entry), .tone = verdictTone(entry), .bold = true}}});
    out.push_back(Paragraph{{{.text = entry.claim.statement, .bold = true}}});
    out.push_back(paragraph(entry.finding ? entry.finding->why : entry.problem));
    if (!entry.claim.about.empty()) {
        out.push_back(note(entry.claim.about));
    }
    if (!entry.finding) {
        return section;
    }
    const auto charts = claimCharts(*entry.finding);
    for (std::size_t i = 0; i < charts.size(); ++i) {
        out.push_back(Figure{charts[i], fmt::format("c{}q{}", index, i)});
    }
    if (Table table = figureTable(*entry.finding); !table.rows.empty()) {
        out.push_back(std::move(table));
    }
    return section;
}

Document claimsDocument(const std::vector<ClaimEntry>& entries, const std::string& created) {
    Document document;
    document.title = "Claims book";
    document.created = created;
    document.head = {paragraph("Highwater claims book", Paragraph::Kind::Eyebrow),
                     heading(1, "What holds on this machine"),
                     paragraph(machineOf(entries), Paragraph::Kind::Meta), countCards(entries),
                     verdictTable(entries)};
    for (std::size_t i = 0; i < entries.size(); ++i) {
        document.sections.push_back(claimSection(entries[i], i));
    }
    document.footer =
        "Every figure was measured; medians with 95 % intervals over repeated runs, memory without an "
        "interval where it is the same in every run.";
    if (!created.empty()) {
        document.footer += " Made " + created + ".";
    }
    return document;
}

bool isMarkdown(const std::filesystem::path& out) {
    return out.extension() == ".md";
}

std::string figureLine(const study::Figure& figure) {
    const auto quantity = study::parseQuantity(figure.quantity);
    return fmt::format(
        "| {} | {} | {} | {} |\n",
        base::markdownText(figure.at.empty() ? figure.label
                                             : fmt::format("{}, at {}", figure.label, figure.at)),
        base::markdownText(quantity ? study::wordsOf(*quantity) : figure.quantity),
        base::markdownText(figureText(figure)), figure.value.n);
}

}  // namespace

std::string figureText(const study::Figure& figure) {
    const auto quantity = study::parseQuantity(figure.quantity);
    const bool ratio = figure.label.find(" / ") != std::string::npos;
    const auto text = [&](double value) {
        return ratio || !quantity ? base::formatNumber(value) + (ratio ? " ×" : "")
                                  : study::formatValue(*quantity, value);
    };
    const base::Interval& v = figure.value;
    return v.low == v.high ? text(v.median)
                           : fmt::format("{} ({} to {})", text(v.median), text(v.low), text(v.high));
}

std::string claimsHtml(const std::vector<ClaimEntry>& entries, const std::string& created) {
    return page(claimsDocument(entries, created));
}

std::string claimsMarkdown(const std::vector<ClaimEntry>& entries, const std::string& created) {
    std::string out = "# The claims book\n\nClaims about memory and time, and what was measured";
    out += created.empty() ? "" : " on " + created;
    const std::string machine = machineOf(entries);
    out += (machine.empty() ? "" : ": " + base::markdownText(machine)) +
           ".\n\n| claim | statement | verdict |\n| --- | --- | --- |\n";
    for (const ClaimEntry& entry : entries) {
        out += fmt::format("| {} | {} | {} |\n", base::markdownText(entry.claim.id),
                           base::markdownText(entry.claim.statement), base::markdownText(verdictText(entry)));
    }
    for (const ClaimEntry& entry : entries) {
        out += fmt::format("\n## {}: {}\n\n**{}**\n\n{}\n", base::markdownText(entry.claim.id),
                           base::markdownText(verdictText(entry)), base::markdownText(entry.claim.statement),
                           base::markdownText(entry.finding ? entry.finding->why : entry.problem));
        if (!entry.claim.about.empty()) {
            out += "\n" + base::markdownText(entry.claim.about) + "\n";
        }
        if (!entry.finding || entry.finding->figures.empty()) {
            continue;
        }
        out += "\n| experiment | quantity | median (95 %) | runs |\n| --- | --- | --- | --- |\n";
        for (const study::Figure& figure : entry.finding->figures) {
            out += figureLine(figure);
        }
    }
    return out;
}

base::Status checkClaimsReport(const std::filesystem::path& out) {
    const std::string ending = out.extension().string();
    return ending == ".html" || ending == ".pdf" || isMarkdown(out)
               ? base::Status()
               : base::Error{out.string() + ": the name must end in .html, .pdf or .md"};
}

base::Status writeClaims(const std::vector<ClaimEntry>& entries, const std::string& created,
                         const std::filesystem::path& out) {
    if (auto status = checkClaimsReport(out); !status) {
        return status;
    }
    if (isMarkdown(out)) {
        return base::writeFileAtomically(out, claimsMarkdown(entries, created));
    }
    const Document document = claimsDocument(entries, created);
    return base::writeFileAtomically(out, out.extension() == ".pdf" ? pdf(document) : page(document));
}

}  // namespace highwater::report
