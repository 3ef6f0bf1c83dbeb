#pragma once

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <vector>

#include "app/cli/output.h"
#include "core/scan/cohort.h"
#include "core/scan/scan_client.h"

/// The subcommands of `volume`, and functions that they share. Private to volume*.cpp.
namespace highwater::cli {

void addVolumeList(CLI::App& volume, int& exit);
void addVolumeHeader(CLI::App& volume, int& exit);
void addVolumeCohort(CLI::App& volume, int& exit);
void addVolumePropose(CLI::App& volume, int& exit);

/// Writes the head phantom, with progress on a terminal. Returns a description of the file: "head.nii.gz: 192
/// × 192 × 160 voxels, 3.0 MiB".
base::Result<std::string> writeHeadPhantom(const std::string& path, std::uint64_t seed = 1);

/// "reading 42 %".
inline std::string progressText(const scan::Progress& progress) {
    return progress.fraction < 0
               ? progress.stage
               : fmt::format("{} {:.0f} %", progress.stage, 100 * std::min(progress.fraction, 1.0));
}

/// "256 × 256 × 192"; empty if it is not known.
std::string sizeText(const std::array<std::int64_t, 3>& size);
/// "0.859 × 0.859 × 0.9"; "unknown" if any of them is.
std::string spacingText(const std::array<double, 3>& spacing);

/// The first few warnings, and a line with the number of further ones, because a person reads them.
std::vector<std::string> printedWarnings(std::vector<std::string> warnings);

struct Surveyed {
    scan::Cohort cohort;
    std::vector<scan::CaseFacts> facts;  ///< for each case
};
/// Finds and reads the cases of a folder, with progress on a terminal; an interrupt (interrupt.h) ends it
/// with an Error.
base::Result<Surveyed> survey(const std::string& folder, bool values);

}  // namespace highwater::cli
