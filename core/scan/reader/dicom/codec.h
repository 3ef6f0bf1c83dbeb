#pragma once

#include "core/scan/reader/dicom/pixels.h"

/// GDCM's decoders. Only for a child process (decoder.h): an assert ends the process.
namespace highwater::scan::reader::dicom {

/// Frame `frame` of a compressed file in `pixels.type`. Errors do not name the file.
base::Result<std::vector<std::byte>> decodeFrame(const OpenFile& file, const Pixels& pixels,
                                                 std::int64_t frame);

}  // namespace highwater::scan::reader::dicom
