#pragma once

#include <string>
#include <vector>

#include "core/report/claims.h"

namespace highwater::cli {

/// One line with the verdict, then the statement, the reason, and the figures with their intervals.
std::string findingText(const study::Claim& claim, const study::Finding& finding);
/// The same for a claim without a verdict.
std::string problemText(const study::Claim& claim, const std::string& problem);
/// "26 claims: 12 hold, 9 do not hold, 2 depend, 3 are not testable here."
std::string countsText(const std::vector<report::ClaimEntry>& entries);

}  // namespace highwater::cli
