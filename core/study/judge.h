#pragma once

#include <string>
#include <vector>

#include "core/study/claim.h"
#include "core/study/finding.h"

/// Derives a verdict from measurements; it runs nothing.
namespace highwater::study {

/// The measurements of one experiment.
struct Evidence {
    std::string name;
    Measured measured;
    std::vector<wire::RunResult> results;  ///< one for each repeat
    std::int64_t batchSize = 1;
    std::optional<double> chosen;  ///< the value chosen by Claim::Fit
    bool chosenIsLast = false;     ///< every value fitted; larger ones may too
};

/// The values of a quantity, one for each repeat, without those that are not finite.
std::vector<double> valuesOf(const Quantity& quantity, const Evidence& evidence);

/// The evidence of all experiments at one value of Claim::along (`at` is "" without one).
struct Evidences {
    std::string at;
    std::vector<Evidence> of;
    const Evidence* find(std::string_view name) const;
};

enum class Outcome { Met, NotMet, Noise };  ///< Noise: the interval does not decide it

struct Tested {
    Outcome outcome = Outcome::NotMet;
    /// left / (factor * right), or left / number; n = 0 if there is no such ratio.
    base::Interval ratio;
};
Tested test(const Condition& condition, const Claim& claim, const Evidences& evidences);

/// Fills in verdict, boundary, why, noise and figures of a finding, nothing else. Error if the measurements
/// do not answer the claim (an experiment that a comparison needs was not done).
base::Result<Finding> judge(const Claim& claim, const std::vector<Evidences>& all);

/// A sentence with its figures filled in; std::nullopt if one of them was not measured.
std::optional<std::string> filled(const std::string& text, const Claim& claim, const Evidences& evidences);

/// A sentence about two experiments whose bytes were compared: the category and the layer that differ most.
std::string ledgerEvidence(const Evidence& left, const Evidence& right);

}  // namespace highwater::study
