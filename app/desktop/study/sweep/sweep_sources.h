#pragma once

#include <optional>
#include <vector>

#include "app/desktop/study/sweep/sweep_setup.h"
#include "core/runs/run_store.h"
#include "core/study/factorial.h"

/// The sources of the window's sweeps: files, and the runs of a study.
namespace highwater::desktop {

/// The contents of a file.
struct SweepFile {
    study::Sweep sweep;
    std::optional<study::SweepResult> result;  ///< if it is a result file
};
/// Reads `highwater.sweep/1` or `highwater.sweep-result/1`. This may take a second, so call it on a worker
/// thread. An Error is one line that names the file.
base::Result<SweepFile> readSweepFile(const std::filesystem::path& path);

/// The studies of the store, the newest first.
std::vector<SweepStudy> studiesOf(const std::vector<runs::RunSummary>& rows);

/// The runs of a study as a sweep without its experiment. The axes are derived from the names of the runs
/// ("batch_size 2, precision bf16"); if the names have no common form, the name itself is the axis. Runs in
/// progress are left out.
study::SweepResult resultOf(const std::vector<runs::RunSummary>& rows, const std::string& study);

}  // namespace highwater::desktop
