#pragma once

#include <QString>
#include <vector>

#include "core/base/result.h"
#include "core/scan/cohort.h"
#include "core/stack/experiment.h"

/// Which files an experiment reads.
namespace highwater::desktop {

/// The files of an experiment whose input is scans: its channels, then its labels. Empty for a cohort and for
/// synthetic input.
std::vector<stack::ScanSource> sourcesOf(const stack::Experiment& experiment);
/// The files of one case: its channels, then its label map if `labels` is set.
std::vector<stack::ScanSource> sourcesOf(const scan::Case& theCase, bool labels);

/// The cohort that is the experiment's input; nullptr if the input is not a cohort.
const stack::ScanInput* cohortOf(const stack::Experiment& experiment);
bool needsLabels(const stack::Experiment& experiment);

/// The cases of the experiment's cohort. Looks only at file names. Errors: those of findCases.
base::Result<std::vector<scan::Case>> casesOf(const stack::Experiment& experiment);
/// The files that a run reads: the scans, or all cases of the cohort in order, the labels after the channels
/// of each case. Errors: the number of channels of a case is not the experiment's, or a required label map is
/// missing.
base::Result<std::vector<stack::ScanSource>> sourcesForRun(const stack::Experiment& experiment);

/// The name of a source as shown: "t1.nii.gz", "t1.nii.gz, volume 3", the folder of a series.
QString nameOf(const stack::ScanSource& source);

}  // namespace highwater::desktop
