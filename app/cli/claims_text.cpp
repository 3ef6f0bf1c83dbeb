#include "app/cli/claims_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/cli/output.h"
#include "core/base/text.h"

namespace highwater::cli {

namespace {

constexpr std::size_t kWidth = 100;

/// Wraps text into lines of at most kWidth bytes, each indented by two spaces.
std::string wrapped(std::string_view whole) {
    const std::string line = base::oneLine(whole, std::string_view::npos);
    std::string_view text = line;
    std::string out;
    while (!text.empty()) {
        std::size_t end = text.size() <= kWidth ? text.size() : text.rfind(' ', kWidth);
        if (end == std::string_view::npos || end == 0) {
            end = std::min(text.find(' '), text.size());
        }
        out += fmt::format("  {}\n", text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return out;
}

std::string figuresText(const std::vector<study::Figure>& figures) {
    std::vector<std::vector<std::string>> rows;
    for (const study::Figure& figure : figures) {
        rows.push_back({"   ",
                        figure.at.empty() ? figure.label : fmt::format("{} at {}", figure.label, figure.at),
                        figure.quantity, report::figureText(figure)});
    }
    return rows.empty() ? "" : table(rows, {});
}

std::string head(const study::Claim& claim, std::string_view verdict, const std::string& boundary) {
    return fmt::format("{}: {}{}\n{}", base::oneLine(claim.id), verdict,
                       boundary.empty() ? "" : ": " + base::oneLine(boundary), wrapped(claim.statement));
}

}  // namespace

std::string findingText(const study::Claim& claim, const study::Finding& finding) {
    return head(claim, study::verdictWords(finding.verdict), finding.boundary) + wrapped(finding.why) +
           figuresText(finding.figures) + "\n";
}

std::string problemText(const study::Claim& claim, const std::string& problem) {
    return head(claim, "no verdict", "") + wrapped(problem) + "\n";
}

std::string countsText(const std::vector<report::ClaimEntry>& entries) {
    const auto count = [&](study::Verdict verdict) {
        return std::count_if(entries.begin(), entries.end(), [verdict](const report::ClaimEntry& entry) {
            return entry.finding && entry.finding->verdict == verdict;
        });
    };
    const auto without = std::count_if(entries.begin(), entries.end(),
                                       [](const report::ClaimEntry& entry) { return !entry.finding; });
    return fmt::format(
        "{} claims: hold {}, do not hold {}, depend {}, not testable here {}, no verdict {}.\n",
        entries.size(), count(study::Verdict::Holds), count(study::Verdict::DoesNotHold),
        count(study::Verdict::Depends), count(study::Verdict::NotTestable), without);
}

}  // namespace highwater::cli
