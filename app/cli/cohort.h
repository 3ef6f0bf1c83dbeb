#pragma once

#include <string>
#include <vector>

#include "app/cli/output.h"
#include "core/base/result.h"
#include "core/stack/experiment.h"

namespace highwater::cli {

/// The sources of one case: its channels, then its labels.
struct CaseSources {
    std::string name;      ///< empty for a scan
    std::string progress;  ///< precedes a file's name in progress lines: "BRATS_003 (3 of 12): "
    std::vector<stack::ScanSource> sources;
};

/// The cases of the experiment's cohort, by name, checked before most of the data is read. Cases skipped by
/// findCases are reported on stderr, unless there is an error. Errors: a case that cannot be read, has other
/// channels than the experiment says or lacks its label map (training on fewer cases than expected without
/// saying so would be wrong); not enough room for all of them in the temporary folder; "cancelled".
base::Result<std::vector<CaseSources>> cohortSources(const stack::Experiment& experiment, StatusLine& line);

}  // namespace highwater::cli
