#pragma once

#include <string>

#include "core/base/result.h"
#include "core/scan/contents.h"
#include "core/scan/reader/reader.h"

namespace highwater::scan {

/// What a folder holds, or what would be read of a file: of one that is no DICOM file, a series without an
/// id.
base::Result<Contents> listContents(const std::string& path, const reader::ProgressSink& progress);

}  // namespace highwater::scan
