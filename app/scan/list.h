#pragma once

#include <string>

#include "core/base/result.h"
#include "core/scan/contents.h"
#include "core/scan/reader/reader.h"

namespace highwater::scan {

/// The contents of a folder, or of a file: a file that is not DICOM gives one series without an id.
base::Result<Contents> listContents(const std::string& path, const reader::ProgressSink& progress);

}  // namespace highwater::scan
