#pragma once

#include "app/desktop/study/study_values.h"
#include "core/study/claim.h"
#include "core/study/finding.h"

/// Converts claims and findings to the values that the window shows.
namespace highwater::desktop {

/// The name of the lever of a row ("S2"); empty if there is no such row.
QString rowTitle(const std::string& row);
ClaimVerdict toVerdict(study::Verdict verdict);
std::vector<ClaimFigure> toFigures(const study::Finding& finding, const study::Claim& claim);
/// What a finding was measured on, and when: "AMD EPYC, 2 threads, avx2, LibTorch 1.13.1 · 2026-11-21 17:05".
QString measuredOn(const study::Finding& finding);
/// `finding` is the latest one; nullptr if there is none.
ClaimRow toRow(const study::Claim& claim, const study::Finding* finding);

}  // namespace highwater::desktop
