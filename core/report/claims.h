#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/study/claim.h"
#include "core/study/finding.h"

/// The report on claims as a page: each claim's statement, its verdict on a machine, and why.
namespace highwater::report {

struct ClaimEntry {
    study::Claim claim;
    std::optional<study::Finding> finding;
    std::string problem;  ///< why there is no finding, or it could not be kept; else empty
};

/// The report as HTML, with charts of the measured values and their intervals. `created`: a time for people.
std::string claimsHtml(const std::vector<ClaimEntry>& entries, const std::string& created);
std::string claimsMarkdown(const std::vector<ClaimEntry>& entries, const std::string& created);
/// Error if the file's name does not end in .html, .pdf or .md.
base::Status checkClaimsReport(const std::filesystem::path& out);
base::Status writeClaims(const std::vector<ClaimEntry>& entries, const std::string& created,
                         const std::filesystem::path& out);

/// "12.3 MiB", "204 ms (203 to 206)": a figure as text.
std::string figureText(const study::Figure& figure);

}  // namespace highwater::report
