#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>

#include "app/cli/output.h"
#include "core/scan/scan_client.h"

/// The subcommands of `volume`, and functions that they share. Private to volume*.cpp.
namespace highwater::cli {

void addVolumeList(CLI::App& volume, int& exit);
void addVolumeCohort(CLI::App& volume, int& exit);
void addVolumePropose(CLI::App& volume, int& exit);

/// "reading 42 %".
inline std::string progressText(const scan::Progress& progress) {
    return progress.fraction < 0
               ? progress.stage
               : fmt::format("{} {:.0f} %", progress.stage, 100 * std::min(progress.fraction, 1.0));
}

/// "256 × 256 × 192"; empty if it is not known.
std::string sizeText(const std::array<std::int64_t, 3>& size);
/// "0.859 × 0.859 × 0.9"; "unknown" if one of them is.
std::string spacingText(const std::array<double, 3>& spacing);

}  // namespace highwater::cli
