#pragma once

#include <string>

#include "core/base/result.h"
#include "core/scan/contents.h"
#include "core/scan/reader/reader.h"

namespace highwater::scan {

/// What a folder holds (DICOM series by their headers, other scans by their names), or what would be read of
/// a file, as one series with an empty id.
base::Result<Contents> listContents(const std::string& path, const reader::ProgressSink& progress);

}  // namespace highwater::scan
