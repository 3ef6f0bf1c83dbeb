#pragma once

#include <QList>
#include <QStringList>
#include <filesystem>
#include <vector>

#include "core/script/peak_owners.h"

namespace highwater::desktop {

/// The lines of a script that hold the most memory at the peak of a stored run, largest first. Empty if the
/// run has no trace, or a damaged one. Reads the trace, so call it on a worker thread.
std::vector<script::PeakOwner> linesAtPeak(const std::filesystem::path& runFolder);

/// A row for each line that one of the runs has: its name, then its memory in each run, followed by the
/// difference from the first run for all but the first. Ordered by the largest difference, then by size; at
/// most `most` rows.
QList<QStringList> peakLineRows(const std::vector<std::vector<script::PeakOwner>>& runs, qsizetype most);

}  // namespace highwater::desktop
