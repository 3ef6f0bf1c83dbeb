#pragma once

#include <string>

#include "core/base/result.h"
#include "core/scan/reader/raw/layout.h"
#include "core/scan/reader/text/meta_header.h"

namespace highwater::scan::reader {

/// Checks a MetaImage header as a whole. `path` is the header's path, used to find its data file. Errors do
/// not name the file.
base::Result<RawLayout> metaLayout(const MetaHeader& header, const std::string& path);

}  // namespace highwater::scan::reader
