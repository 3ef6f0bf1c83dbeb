#pragma once

#include <optional>

#include "core/study/claim.h"
#include "core/study/finding.h"
#include "widgets/study/study_values.h"

/// Claims and findings as the values that the window shows.
namespace highwater::desktop {

/// Of a row of product's list ("S2"): the lever's name; empty for another.
QString rowTitle(const std::string& row);
widgets::ClaimVerdict toVerdict(study::Verdict verdict);
std::vector<widgets::ClaimFigure> toFigures(const study::Finding& finding, const study::Claim& claim);
/// On what and when: "AMD EPYC, 2 threads, avx2, LibTorch 1.13.1 · 2026-11-21 17:05".
QString measuredOn(const study::Finding& finding);
/// `finding`: the latest, if there is one.
widgets::ClaimRow toRow(const study::Claim& claim, const study::Finding* finding);

}  // namespace highwater::desktop
