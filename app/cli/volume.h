#pragma once

#include <cstdint>
#include <string>

#include "core/base/result.h"

namespace CLI {
class App;
}

namespace highwater::cli {

/// Adds `volume list|info|read|slice|phantom|cohort|propose`. It runs while the command line is parsed and
/// sets `exit` to 0, 2 or 130.
void addVolume(CLI::App& app, int& exit);

/// Writes the head phantom, with progress on a terminal. Returns a line about the file: "head.nii.gz: 192 ×
/// 192 × 160 voxels, 3.0 MiB".
base::Result<std::string> writeHeadPhantom(const std::string& path, std::uint64_t seed = 1);

}  // namespace highwater::cli
