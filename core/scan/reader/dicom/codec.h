#pragma once

#include "core/scan/reader/dicom/pixels.h"

/// Decodes pictures, those that are not RLE with GDCM. Only for a child process (decoder.h), because a failed
/// assert ends the process.
namespace highwater::scan::reader::dicom {

/// Decodes frame `frame` of a compressed file into `pixels.type`. Errors do not name the file.
base::Result<std::vector<std::byte>> decodeFrame(const OpenFile& file, const Pixels& pixels,
                                                 std::int64_t frame);

}  // namespace highwater::scan::reader::dicom
