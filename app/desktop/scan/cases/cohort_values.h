#pragma once

#include "app/desktop/scan/cases/case_values.h"
#include "core/plan/propose_patch.h"
#include "core/scan/cohort.h"
#include "core/scan/contents.h"
#include "core/volume/volume.h"

/// Converts the contents of folders, and data read from cases, to the values that widgets show.
namespace highwater::desktop {

SeriesRow rowOf(const scan::Series& series);
/// The row of a file of which only the name is known.
SeriesRow rowOf(const std::string& id, const std::string& name);
/// Adds the volume's header to a row.
void fill(SeriesRow& row, const volume::Header& header);
/// The row of a file that cannot be read, and so cannot be chosen. `line` is the error: "IM0007: cannot be
/// decoded: ...".
SeriesRow unreadRow(const std::string& line);

/// The row of a case before it has been read, and after.
CaseRow rowOf(const scan::Case& theCase);
CaseRow rowOf(const scan::Case& theCase, const scan::CaseFacts& facts);

ProposalRow rowOf(const plan::PatchProposal& proposal, base::Bytes capacity);
/// The shapes of the cases that were read without an error.
std::vector<plan::CaseShape> shapesOf(const std::vector<scan::CaseFacts>& facts);

/// The middle slice across the axis along which slices were stored, in the scan's default window. It has at
/// most `side` pixels along each side, and the aspect ratio in millimeters.
QImage middleSlice(const volume::Volume& volume, int side);

}  // namespace highwater::desktop
