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

bool isCohort(const stack::Experiment& experiment);

/// The cases of the experiment's cohort, by name. Their headers are checked before the volumes are read. If
/// there is no error, stderr says what findCases leaves out. Error if a case cannot be read, has other
/// channels than the experiment says, or lacks its label map (it would be wrong to train silently on fewer
/// cases); if the temporary folder has no room for all of them; or "cancelled".
base::Result<std::vector<CaseSources>> cohortSources(const stack::Experiment& experiment, StatusLine& line);

}  // namespace highwater::cli
