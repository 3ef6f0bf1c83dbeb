#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/units.h"
#include "core/scan/contents.h"
#include "core/scan/reader/reader.h"

namespace highwater::scan {

/// The command line of highwater-scan: a command, options in pairs, "--", and one path.
struct Arguments {
    std::string command, path, series;
    std::int64_t outFd = -1, volume = 0, slice = -1, addressSpace = 0;
    std::uint64_t seed = 1;
};

/// std::nullopt if the words do not form such a command line.
std::optional<Arguments> parseArguments(const std::vector<std::string>& words);

/// Makes this process end with its parent, leave no core file, and map at most `addressSpace` bytes (0: no
/// limit, as AddressSanitizer needs, because it maps terabytes).
void limitProcess(base::Bytes addressSpace);

/// The contents of a folder, or what would be read of a file; a file that is not DICOM counts as a series
/// without an id.
base::Result<Contents> listContents(const std::string& path, const reader::ProgressSink& progress);

}  // namespace highwater::scan
