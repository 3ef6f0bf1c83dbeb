#pragma once

#include <optional>
#include <vector>

#include "app/desktop/study/sweep/sweep_setup.h"
#include "core/runs/run_store.h"
#include "core/study/factorial.h"

/// Where the window's sweeps come from: files, and the runs of a study.
namespace highwater::desktop {

/// What a file holds.
struct SweepFile {
    study::Sweep sweep;
    std::optional<study::SweepResult> result;  ///< of the file of a result
};
/// Reads `highwater.sweep/1` or `highwater.sweep-result/1`. It may take a second, so call it on a worker
/// thread. An Error is one line that names the file.
base::Result<SweepFile> readSweepFile(const std::filesystem::path& path);

/// The studies of the store, the newest first.
std::vector<SweepStudy> studiesOf(const std::vector<runs::RunSummary>& rows);

/// The runs of a study as a sweep without its experiment. The axes are read from the names of the runs
/// ("batch_size 2, precision bf16"); where the names are not alike, the name itself is the axis. Runs that
/// go on are left out.
study::SweepResult resultOf(const std::vector<runs::RunSummary>& rows, const std::string& study);

}  // namespace highwater::desktop
