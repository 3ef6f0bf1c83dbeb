#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/scan/cohort.h"
#include "core/stack/experiment.h"

/// Which files an experiment reads.
namespace highwater::desktop {

/// Of an experiment that names scans: its channels, then its labels. Empty for a cohort and for synthetic
/// input.
std::vector<stack::ScanSource> sourcesOf(const stack::Experiment& experiment);
/// Of one case: its channels, then its label map where `labels` are wanted.
std::vector<stack::ScanSource> sourcesOf(const scan::Case& theCase, bool labels);

/// The cohort that is the input; null: there is none.
const stack::ScanInput* cohortOf(const stack::Experiment& experiment);
bool needsLabels(const stack::Experiment& experiment);

/// The cases of the experiment's cohort. Looks at names alone. Errors: findCases'.
base::Result<std::vector<scan::Case>> casesOf(const stack::Experiment& experiment);
/// What a run reads: the scans, or every case of the cohort in order, labels behind each one's channels.
/// Errors: a case with other channels than the experiment takes, or without the label map that it needs.
base::Result<std::vector<stack::ScanSource>> sourcesForRun(const stack::Experiment& experiment);

/// What a source is called on screen: "t1.nii.gz", "t1.nii.gz, volume 3", the folder of a series.
std::string nameOf(const stack::ScanSource& source);

}  // namespace highwater::desktop
