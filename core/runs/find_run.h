#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "core/runs/run_store.h"

namespace highwater::runs {

/// Finds the run with this number, id, or unique prefix of an id. Errors name the store's folder. Private to
/// core/runs.
base::Result<RunSummary> findRun(const std::vector<RunSummary>& rows, std::string_view word,
                                 const std::filesystem::path& store);

}  // namespace highwater::runs
