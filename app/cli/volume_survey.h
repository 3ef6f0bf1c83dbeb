#pragma once

#include <string>
#include <vector>

#include "core/scan/cohort.h"

namespace highwater::cli {

struct Surveyed {
    scan::Cohort cohort;
    std::vector<scan::CaseFacts> facts;  ///< one for each case
};
/// Finds and reads the cases of a folder, with progress on a terminal. An interrupt (interrupt.h) ends it
/// with an Error.
base::Result<Surveyed> survey(const std::string& folder, bool values);

}  // namespace highwater::cli
