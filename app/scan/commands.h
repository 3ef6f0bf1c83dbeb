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

/// The command line of highwater-scan: what to do, options in pairs, "--", and one path.
struct Arguments {
    std::string command, path, series;
    std::int64_t outFd = -1, volume = 0, slice = -1, addressSpace = 0;
    std::uint64_t seed = 1;
};

/// Nothing where it is not such a line.
std::optional<Arguments> parseArguments(const std::vector<std::string>& words);

/// Ends with its parent, leaves no core file, and may not map more than `addressSpace` bytes (0: no such
/// limit; AddressSanitizer maps terabytes, so a build with it has none).
void limitProcess(base::Bytes addressSpace);

/// What a folder holds, or what would be read of a file: of one that is no DICOM file, a series without an
/// id.
base::Result<Contents> listContents(const std::string& path, const reader::ProgressSink& progress);

}  // namespace highwater::scan
