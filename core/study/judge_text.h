#pragma once

#include <string>
#include <vector>

#include "core/study/judge.h"

/// Texts and figures about the measurements. Private to core/study.
namespace highwater::study {

/// "peak memory of the tensors: 12.3 MiB (checkpointed) against 24.1 MiB (plain), 0.51 times."
std::string conditionText(const Condition& condition, const Tested& tested, const Claim& claim,
                          const Evidences& evidences);
/// Texts of all conditions if the claim holds; otherwise of those that are not met.
std::string numbersOf(const Claim& claim, Verdict verdict, const std::vector<Tested>& tested,
                      const Evidences& evidences);
/// The text of the first condition that is a comparison, at every value.
std::string numbersAlong(const Claim& claim, const std::vector<Evidences>& all);
/// "The difference lies within the noise: ..."
std::string noiseText(const Claim& claim, const std::vector<Tested>& tested, const Evidences& evidences);

std::vector<Figure> figuresOf(const Claim& claim, const std::vector<Evidences>& all,
                              const std::vector<std::vector<Tested>>& tested);

}  // namespace highwater::study
