#pragma once

#include "core/plan/propose_patch.h"
#include "core/scan/cohort.h"
#include "core/scan/contents.h"
#include "core/volume/volume.h"
#include "widgets/cases/case_values.h"

/// What was found in folders and read of cases, as the values that widgets take.
namespace highwater::desktop {

widgets::SeriesRow rowOf(const scan::Series& series);
/// A file of which the name is known.
widgets::SeriesRow rowOf(const std::string& id, const std::string& name);
/// And what its header says.
void fill(widgets::SeriesRow& row, const volume::Header& header);
/// "IM0007: cannot be decoded: ..." as a row that cannot be chosen.
widgets::SeriesRow unreadRow(const std::string& line);

/// Before it is read, and after.
widgets::CaseRow rowOf(const scan::Case& theCase);
widgets::CaseRow rowOf(const scan::Case& theCase, const scan::CaseFacts& facts);

widgets::ProposalRow rowOf(const plan::PatchProposal& proposal, base::Bytes capacity);
/// The shapes of the cases that were read well.
std::vector<plan::CaseShape> shapesOf(const std::vector<scan::CaseFacts>& facts);

/// The middle slice, across the axis along which slices were stored, in the scan's default window; at most
/// `side` pixels, and as wide as it is in millimetres.
QImage middleSlice(const volume::Volume& volume, int side);

}  // namespace highwater::desktop
