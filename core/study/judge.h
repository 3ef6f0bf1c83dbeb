#pragma once

#include <string>
#include <vector>

#include "core/study/claim.h"
#include "core/study/finding.h"

/// From what was measured to a verdict; nothing is run here.
namespace highwater::study {

/// What the repeats of one experiment gave.
struct Evidence {
    std::string name;
    Measured measured;
    std::vector<wire::RunResult> results;  ///< one a repeat
    std::int64_t batchSize = 1;
    std::optional<double> chosen;  ///< by Claim::Fit
    bool chosenIsLast = false;     ///< every value fitted: more may
};

/// The values of a quantity, one a repeat; those that are no finite numbers are left out.
std::vector<double> valuesOf(const Quantity& quantity, const Evidence& evidence);

/// All experiments at one value of Claim::along (without one: at "").
struct Evidences {
    std::string at;
    std::vector<Evidence> of;
    const Evidence* find(std::string_view name) const;
};

enum class Outcome { Met, NotMet, Noise };  ///< Noise: the interval does not settle it

struct Tested {
    Outcome outcome = Outcome::NotMet;
    /// Of left / (factor * right), or of left / number; n = 0 where there is no such ratio.
    base::Interval ratio;
};
Tested test(const Condition& condition, const Claim& claim, const Evidences& evidences);

/// Verdict, boundary, why, noise and figures of a claim; the rest of the finding is left empty. An Error:
/// what was measured does not answer it (an experiment that a comparison needs was not done).
base::Result<Finding> judge(const Claim& claim, const std::vector<Evidences>& all);

/// A sentence with its figures filled in; nothing where one of them was not measured.
std::optional<std::string> filled(const std::string& text, const Claim& claim, const Evidences& evidences);

/// What the ledger says of two experiments whose bytes were compared: the category and the layer that differ
/// most.
std::string ledgerEvidence(const Evidence& left, const Evidence& right);

}  // namespace highwater::study
