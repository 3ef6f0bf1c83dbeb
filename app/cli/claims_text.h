#pragma once

#include <string>
#include <vector>

#include "core/report/claims.h"

namespace highwater::cli {

/// The verdict in a line, then the statement, why, and the figures with their intervals.
std::string findingText(const study::Claim& claim, const study::Finding& finding);
/// The same of a claim without a verdict.
std::string problemText(const study::Claim& claim, const std::string& problem);
/// "26 claims: 12 hold, 9 do not hold, 2 depend, 3 are not testable here."
std::string countsText(const std::vector<report::ClaimEntry>& entries);

}  // namespace highwater::cli
