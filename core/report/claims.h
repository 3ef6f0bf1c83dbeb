#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/study/claim.h"
#include "core/study/finding.h"

/// The claims book as a page: what each claim says, its verdict on a machine, and why.
namespace highwater::report {

struct ClaimEntry {
    study::Claim claim;
    std::optional<study::Finding> finding;
    std::string problem;  ///< why there is no finding; empty where it was not run
};

/// `created`: as people read it. Bars with intervals of what was measured, a claim and unit each.
std::string claimsHtml(const std::vector<ClaimEntry>& entries, const std::string& created);
std::string claimsMarkdown(const std::vector<ClaimEntry>& entries, const std::string& created);
/// By the name's ending, .html or .md; another is an error.
base::Status checkClaimsReport(const std::filesystem::path& out);
base::Status writeClaims(const std::vector<ClaimEntry>& entries, const std::string& created,
                         const std::filesystem::path& out);

/// "12.3 MiB", "204 ms (203 to 206)": a figure as text.
std::string figureText(const study::Figure& figure);

}  // namespace highwater::report
