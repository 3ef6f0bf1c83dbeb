#pragma once

#include <vector>

#include "core/scan/reader/dicom/pixels.h"

/// Decodes pictures; those that are not RLE with GDCM. Only for a child process (decoder.h), because a failed
/// assert ends the process.
namespace highwater::scan::reader::dicom {

/// Decodes a frame of a compressed file with these fragments (framesOf()) into `pixels.type`. Errors do not
/// name the file.
base::Result<std::vector<std::byte>> decodeFrame(const OpenFile& file, const Pixels& pixels,
                                                 const std::vector<Bytes>& fragments);

}  // namespace highwater::scan::reader::dicom
